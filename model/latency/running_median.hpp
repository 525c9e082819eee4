#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace matchcloud::model {

/// A robust running median of positive values, in 28 bytes: seven points, each with a value and a
/// weight. A further value joins the two neighbouring points that are closest to each other for
/// their weight (as in Ward's clustering), so that the middle stays fine and outliers stay apart
/// from it. Values are kept as logarithms in steps of 1/4096, which are 0.03 % apart.
class running_median {
public:
  static constexpr std::size_t point_limit = 7;
  static constexpr double lowest = 0.05;
  static constexpr double highest = 400'000;
  /// All points together weigh at most this much; older values give way.
  static constexpr double weight_limit = 200;
  static constexpr std::size_t byte_count = 4 * point_limit;

  /// Adds a value, brought into `lowest` to `highest`, with a weight up to 1. Weights are counted
  /// in steps of 1/256; less than half a step is nothing.
  void add(double value, double weight) noexcept;
  /// Adds all values of another median: except for rounding, the same as adding them one by one. If
  /// both together weigh more than `weight_limit`, both are scaled down alike.
  void merge(const running_median& added) noexcept;
  /// Multiplies all weights by `factor`, 0 to 1.
  void fade(double factor) noexcept;

  /// The effective number of values.
  double weight() const noexcept;
  bool empty() const noexcept { return points_[0].weight == 0; }

  /// The value that half of the weight lies below; 0 if there is none.
  double median() const noexcept;
  /// The mean of the middle half of the weight (on the scale of logarithms): as robust against a
  /// quarter of liars on one side as the median, and closer to the truth for few honest values.
  double middle() const noexcept;
  /// The standard deviation of logarithms that a normal distribution with this middle half would
  /// have; 0 with fewer than two values. A small spread is about the relative deviation.
  double spread() const noexcept;

  /// The form to store: the points in order, each with its value and its weight, little-endian.
  std::array<std::uint8_t, byte_count> bytes() const noexcept;
  /// Reads the result of `bytes`; nothing if it cannot be one.
  static std::optional<running_median> from_bytes(std::span<const std::uint8_t> bytes) noexcept;

  friend bool operator==(const running_median&, const running_median&) = default;

private:
  struct point {
    /// In steps of the logarithm, from the logarithm of `lowest` on.
    std::uint16_t value = 0;
    std::uint16_t weight = 0;

    friend bool operator==(const point&, const point&) = default;
  };

  bool is_sound() const noexcept;
  double total() const noexcept;
  /// The mean of the logarithms between two shares of the weight.
  double mean_between(double low, double high) const noexcept;
  /// The logarithm below which a share of the weight lies.
  double quantile(double share) const noexcept;

  /// In ascending order of value; those without weight are all 0 and last.
  std::array<point, point_limit> points_{};
};

} // namespace matchcloud::model
