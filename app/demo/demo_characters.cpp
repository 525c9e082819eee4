#include "app/demo/demo_characters.hpp"

namespace matchcloud::app {

shape whole_picture() {
  return polygon({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
}

void paint_gleam(canvas& on, const point& middle, double size) {
  constexpr std::uint32_t white = 0xFFFFFF;
  on.fill(disc({middle.x - 0.9 * size, middle.y - 1.1 * size}, size), {white, white, 0.95});
  on.fill(disc({middle.x + 0.9 * size, middle.y + 1.2 * size}, 0.5 * size), {white, white, 0.6});
}

} // namespace matchcloud::app
