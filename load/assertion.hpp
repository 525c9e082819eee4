#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

struct results;

/// One thing that must hold of a run: `p99<5ms`.
struct assertion {
  enum class comparison : std::uint8_t { less, at_most, equal, at_least, greater, unequal };

  /// As it was written.
  std::string text;
  /// `p99`, `max`, `mean`, `errors`, an error's kind, `late`, `sent`, `answered`, `rate`,
  /// `status.503`.
  std::string name;
  comparison by = comparison::equal;
  /// Nanoseconds, a number, or requests per second.
  double value = 0;
};

/// Reads assertions with commas between them. Fails with `config_invalid`: which one, and what can
/// be written.
base::expected<std::vector<assertion>> parse_assertions(std::string_view text);

/// What a run has of the value that is asserted about, in its unit.
double value_of(const assertion& which, const results& of);
bool holds(const assertion& which, const results& of);

/// `p99<5ms: 7.2 ms`.
std::string explain(const assertion& which, const results& of);

} // namespace matchcloud::load
