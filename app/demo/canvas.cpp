#include "app/demo/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace matchcloud::app {

namespace {

constexpr std::size_t channel_count = 3;

using colour = std::array<double, channel_count>;

/// The colour at `share` of the way from the top to the bottom.
colour colour_at(const paint& with, double share) {
  colour mixed{};
  for (std::size_t i = 0; i < channel_count; ++i) {
    const auto shift = 16U - 8U * static_cast<unsigned>(i);
    mixed[i] =
        ((with.top >> shift) & 0xFFU) * (1 - share) + ((with.bottom >> shift) & 0xFFU) * share;
  }
  return mixed;
}

/// How much of a pixel a shape covers whose edge is `distance` away and fades over `width`.
double covered(double distance, double width) {
  return std::clamp(0.5 - distance / width, 0.0, 1.0);
}

/// The same without a visible beginning and end of the fading.
double eased(double share) {
  return share * share * (3 - 2 * share);
}

} // namespace

canvas::canvas(std::size_t side_pixels)
    : side_pixels_{side_pixels},
      pixel_{2.0 / static_cast<double>(side_pixels)},
      channels_(side_pixels * side_pixels * channel_count) {}

void canvas::fill(const shape& what, const paint& with) {
  const auto width = std::max(with.softness, pixel_);
  const auto& [left, top, right, bottom] = what.bounds;
  const auto first_column = index_of(left - width);
  const auto end_column = index_of(right + width + pixel_);
  const auto end_row = index_of(bottom + width + pixel_);
  for (auto row = index_of(top - width); row < end_row; ++row) {
    const auto y = middle_of(row);
    const auto ink = colour_at(with, std::clamp((y - top) / (bottom - top), 0.0, 1.0));
    const auto distance = what.row(y, width);
    const auto clip = with.within != nullptr ? with.within->row(y, pixel_) : row_distance{};
    for (auto column = first_column; column < end_column; ++column) {
      const auto x = middle_of(column);
      auto share = covered(distance(x), width);
      if (share <= 0) continue;
      if (with.softness > 0) share = eased(share);
      if (clip) share *= covered(clip(x), pixel_);
      share *= with.opacity;
      for (std::size_t i = 0; i < channel_count; ++i) {
        auto& below = channels_[(row * side_pixels_ + column) * channel_count + i];
        below += (ink[i] - below) * share;
      }
    }
  }
}

void canvas::fill_both(const shape& what, const paint& with) {
  fill(what, with);
  fill(mirrored(what), with);
}

std::vector<std::uint8_t> canvas::pixels() const {
  std::vector<std::uint8_t> rounded(channels_.size());
  std::ranges::transform(channels_, rounded.begin(),
                         [](double value) { return static_cast<std::uint8_t>(value + 0.5); });
  return rounded;
}

std::size_t canvas::index_of(double coordinate) const noexcept {
  const auto index = std::floor((coordinate + 1) / pixel_);
  return static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(side_pixels_)));
}

double canvas::middle_of(std::size_t index) const noexcept {
  return (static_cast<double>(index) + 0.5) * pixel_ - 1;
}

} // namespace matchcloud::app
