#include "app/demo/demo_image.hpp"

#include "model/avatars/png_chunk.hpp"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

namespace matchcloud::app {

namespace {

constexpr std::size_t squares = 5;
constexpr std::size_t square_pixels = 16;
constexpr std::size_t side_pixels = squares * square_pixels;
constexpr std::size_t channels = 3;

using colour = std::array<char, channels>;
constexpr colour background{'\xF0', '\xF0', '\xF0'};

/// Rows of pixels, each after its filter type, which is none.
std::string draw_rows(std::uint32_t seed) {
  std::minstd_rand random{seed};
  const colour ink{static_cast<char>(random() % 160), static_cast<char>(random() % 160),
                   static_cast<char>(random() % 160)};
  std::array<std::array<bool, squares>, squares> filled{};
  for (auto& row : filled)
    for (std::size_t x = 0; x <= squares / 2; ++x)
      row[x] = row[squares - 1 - x] = random() % 2 == 0;
  std::string rows;
  for (std::size_t y = 0; y < side_pixels; ++y) {
    rows += '\0';
    for (std::size_t x = 0; x < side_pixels; ++x) {
      const auto& of = filled[y / square_pixels][x / square_pixels] ? ink : background;
      rows.append(of.begin(), of.end());
    }
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

std::string draw_demo_avatar(std::uint32_t seed) {
  using namespace std::string_view_literals;
  constexpr auto eight_bit_rgb = "\x08\x02\0\0\0"sv;
  const auto size = model::big_endian(side_pixels) + model::big_endian(side_pixels);
  return std::string{model::png_start} +
         model::png_chunk("IHDR", size + std::string{eight_bit_rgb}) +
         model::png_chunk("IDAT", compressed(draw_rows(seed))) + model::png_chunk("IEND", {});
}

} // namespace matchcloud::app
