#include "app/demo/demo_pictures.hpp"

// The assembler looks for the files where the compiler looks for headers. Each label also ends the
// picture before it.
asm(R"(
  .section .rodata
matchcloud_red_panda:
  .incbin "app/demo/red_panda.png"
matchcloud_snow_owl:
  .incbin "app/demo/snow_owl.png"
matchcloud_tide_turtle:
  .incbin "app/demo/tide_turtle.png"
matchcloud_pictures_end:
  .byte 0
  .previous
)");
extern "C" const char matchcloud_red_panda[];
extern "C" const char matchcloud_snow_owl[];
extern "C" const char matchcloud_tide_turtle[];
extern "C" const char matchcloud_pictures_end[];

namespace matchcloud::app {

std::string_view red_panda_png() noexcept {
  return {matchcloud_red_panda, matchcloud_snow_owl};
}

std::string_view snow_owl_png() noexcept {
  return {matchcloud_snow_owl, matchcloud_tide_turtle};
}

std::string_view tide_turtle_png() noexcept {
  return {matchcloud_tide_turtle, matchcloud_pictures_end};
}

} // namespace matchcloud::app
