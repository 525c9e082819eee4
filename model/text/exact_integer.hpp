#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// The integer that a JSON number writes, determined from its decimal text without rounding.
struct exact_integer {
  /// Whether the number is below zero.
  bool negative = false;
  /// The absolute value; if `too_large`, the largest 64-bit value.
  std::uint64_t magnitude = 0;
  /// Whether the absolute value is beyond 2^64-1.
  bool too_large = false;

  friend bool operator==(const exact_integer&, const exact_integer&) = default;
};

/// Reads `number`, which must be a number by RFC 8259 section 6. Empty if it has a fractional part:
/// `1.0` and `1e3` are integers, `12.5` and `1e-1` are not. `-0` is 0. O(number).
std::optional<exact_integer> read_integer(std::string_view number) noexcept;

} // namespace matchcloud::model
