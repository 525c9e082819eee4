#pragma once

#include "app/demo/demo_characters.hpp"

#include <string>

namespace matchcloud::app {

/// Draws the avatar of a character as a PNG, the same every time.
std::string draw_demo_avatar(demo_character who);

} // namespace matchcloud::app
