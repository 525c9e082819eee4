#pragma once

#include "app/demo/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::app {

/// How a shape is filled: from one colour (0xRRGGBB) at its top to another at its bottom.
struct paint {
  std::uint32_t top = 0;
  std::uint32_t bottom = 0;
  /// From 0 (nothing to see) to 1 (covers what is below).
  double opacity = 1;
  /// The width over which its edge fades; 0: a sharp edge.
  double softness = 0;
  /// Painted only inside of this shape, if any.
  const shape* within = nullptr;
};

/// A square picture of one to several hundred pixels a side, painted shape over shape.
class canvas {
public:
  explicit canvas(std::size_t side_pixels);

  void fill(const shape& what, const paint& with);
  /// Fills a shape and its mirror image to the other side of the vertical middle.
  void fill_both(const shape& what, const paint& with);

  std::size_t side_pixels() const noexcept { return side_pixels_; }
  /// Red, green and blue of each pixel, row after row.
  std::vector<std::uint8_t> pixels() const;

private:
  /// The row or column of pixels that begins at or before a coordinate.
  std::size_t index_of(double coordinate) const noexcept;
  double middle_of(std::size_t index) const noexcept;

  std::size_t side_pixels_;
  /// The side of a pixel.
  double pixel_;
  std::vector<double> channels_;
};

} // namespace matchcloud::app
