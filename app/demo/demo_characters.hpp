#pragma once

#include "app/demo/canvas.hpp"

#include <cstdint>

namespace matchcloud::app {

/// The animals that the avatars of the demo data show.
enum class demo_character : std::uint8_t { red_panda, snow_owl, tide_turtle };

// Each paints a whole picture.
void paint_red_panda(canvas& on);
void paint_snow_owl(canvas& on);
void paint_tide_turtle(canvas& on);

/// The whole picture as a shape, for backgrounds.
shape whole_picture();
/// Two reflections of light in the pupil at `middle`.
void paint_gleam(canvas& on, const point& middle, double size);

} // namespace matchcloud::app
