#include "app/demo/demo_image.hpp"

#include <png.h>

#include <array>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr std::size_t squares = 5;
constexpr std::size_t square_pixels = 16;
constexpr std::size_t side_pixels = squares * square_pixels;
constexpr std::size_t channels = 3;

using colour = std::array<png_byte, channels>;
constexpr colour background{0xF0, 0xF0, 0xF0};

std::vector<png_byte> draw_pixels(std::uint32_t seed) {
  std::minstd_rand random{seed};
  const colour ink{static_cast<png_byte>(random() % 160), static_cast<png_byte>(random() % 160),
                   static_cast<png_byte>(random() % 160)};
  std::array<std::array<bool, squares>, squares> filled{};
  for (auto& row : filled)
    for (std::size_t x = 0; x <= squares / 2; ++x)
      row[x] = row[squares - 1 - x] = random() % 2 == 0;
  std::vector<png_byte> pixels;
  pixels.reserve(side_pixels * side_pixels * channels);
  for (std::size_t y = 0; y < side_pixels; ++y)
    for (std::size_t x = 0; x < side_pixels; ++x) {
      const auto& of = filled[y / square_pixels][x / square_pixels] ? ink : background;
      pixels.insert(pixels.end(), of.begin(), of.end());
    }
  return pixels;
}

} // namespace

std::string draw_demo_avatar(std::uint32_t seed) {
  const auto pixels = draw_pixels(seed);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = side_pixels;
  image.height = side_pixels;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  std::string file;
  const auto write = [&](void* into) {
    return png_image_write_to_memory(&image, into, &size, 0, pixels.data(), 0, nullptr) != 0;
  };
  bool done = write(nullptr); // asks for the size
  if (done) {
    file.resize(size);
    done = write(file.data());
  }
  if (!done) throw std::runtime_error{std::string{"libpng: "} + image.message};
  file.resize(size);
  return file;
}

} // namespace matchcloud::app
