#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::load {

/// Reads `10s`, `250ms`, `50us`, `2m`; without a unit seconds. Nothing for anything else, and for
/// more than a day.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// With so many decimals: `12.30`.
std::string fixed(double value, int digits);

/// `730 ns`, `12.3 us`, `4.56 ms`, `7.89 s`.
std::string duration_text(double ns);

} // namespace matchcloud::load
