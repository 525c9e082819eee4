#pragma once

#include <cstdint>
#include <string>

namespace matchcloud::app {

/// Draws a small avatar as a PNG: a pattern of squares, symmetric left to right, chosen by `seed`.
std::string draw_demo_avatar(std::uint32_t seed);

} // namespace matchcloud::app
