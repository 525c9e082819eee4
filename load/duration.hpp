#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::load {

/// Reads a number with one of the units `ns`, `us`, `ms`, `s`, `m`, `h`: `250ms`. Without a unit,
/// it is in seconds. Returns nothing for any other text, a negative duration or more than a day.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// `value` with `digits` decimals: `12.30`.
std::string fixed(double value, int digits);

/// A duration in a readable unit: `730 ns`, `12.3 us`, `4.56 ms`, `7.89 s`.
std::string duration_text(double ns);

/// The same for a latency of replies; `-` for 0, which stands for no replies.
std::string latency_text(double ns);

} // namespace matchcloud::load
