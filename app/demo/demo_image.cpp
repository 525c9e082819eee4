#include "app/demo/demo_image.hpp"

#include "model/avatars/png_chunk.hpp"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr std::uint32_t side_pixels = 256;
constexpr std::size_t channels = 3;

canvas painted(demo_character who) {
  canvas picture{side_pixels};
  switch (who) {
  case demo_character::red_panda: paint_red_panda(picture); break;
  case demo_character::snow_owl: paint_snow_owl(picture); break;
  case demo_character::tide_turtle: paint_tide_turtle(picture); break;
  }
  return picture;
}

/// Which of its neighbours is closest to left + above - diagonal (PNG, third edition, section 9.4).
int paeth(int left, int above, int diagonal) {
  const int estimate = left + above - diagonal;
  const int from_left = std::abs(estimate - left);
  const int from_above = std::abs(estimate - above);
  const int from_diagonal = std::abs(estimate - diagonal);
  if (from_left <= from_above && from_left <= from_diagonal) return left;
  return from_above <= from_diagonal ? above : diagonal;
}

/// Rows of pixels as differences from their neighbours, each after its filter type, which is 4:
/// smooth colours become small numbers.
std::string filtered(const std::vector<std::uint8_t>& pixels) {
  constexpr std::size_t row_bytes = side_pixels * channels;
  std::string rows;
  rows.reserve(side_pixels * (row_bytes + 1));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (i % row_bytes == 0) rows += '\x04';
    const bool has_left = i % row_bytes >= channels;
    const bool has_above = i >= row_bytes;
    const int left = has_left ? pixels[i - channels] : 0;
    const int above = has_above ? pixels[i - row_bytes] : 0;
    const int diagonal = has_left && has_above ? pixels[i - row_bytes - channels] : 0;
    rows += static_cast<char>(pixels[i] - paeth(left, above, diagonal));
  }
  return rows;
}

std::string compressed(const std::string& bytes) {
  auto size = ::compressBound(bytes.size());
  std::string packed(size, '\0');
  const int result =
      ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  if (result != Z_OK) throw std::runtime_error{"zlib: cannot compress a picture"};
  packed.resize(size);
  return packed;
}

} // namespace

std::string draw_demo_avatar(demo_character who) {
  using namespace std::string_view_literals;
  constexpr auto eight_bit_rgb = "\x08\x02\0\0\0"sv;
  const auto size = model::big_endian(side_pixels) + model::big_endian(side_pixels);
  return std::string{model::png_start} +
         model::png_chunk("IHDR", size + std::string{eight_bit_rgb}) +
         model::png_chunk("IDAT", compressed(filtered(painted(who).pixels()))) +
         model::png_chunk("IEND", {});
}

} // namespace matchcloud::app
