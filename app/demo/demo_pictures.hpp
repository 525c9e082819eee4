#pragma once

#include <string_view>

namespace matchcloud::app {

// The PNG files of this folder, which are a part of the program.
std::string_view red_panda_png() noexcept;
std::string_view snow_owl_png() noexcept;
std::string_view tide_turtle_png() noexcept;

} // namespace matchcloud::app
