#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// The integer that a JSON number writes, decided on its decimal text: nothing is rounded.
struct exact_integer {
  /// Below zero.
  bool negative = false;
  /// Its absolute value; the largest value also stands for everything beyond it if `too_large`.
  std::uint64_t magnitude = 0;
  /// The absolute value is beyond 2^64-1.
  bool too_large = false;

  friend bool operator==(const exact_integer&, const exact_integer&) = default;
};

/// `number` is a number by RFC 8259 section 6. Empty where it has a fraction: `1.0` and `1e3` are
/// integers, `12.5` and `1e-1` are not. `-0` is 0. O(number).
std::optional<exact_integer> read_integer(std::string_view number) noexcept;

} // namespace matchcloud::model
