#pragma once

#include "model/text/counts.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// Reads a number with one of the units `ns`, `us`, `ms`, `s`, `m`, `h`: `250ms`. Without a unit,
/// it is in seconds. Returns nothing for any other text, a negative duration or more than a day.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// A whole or decimal number; nothing for any other text or a value that is not finite.
std::optional<double> parse_number(std::string_view text);

/// `value` with `digits` decimals: `12.30`.
std::string fixed(double value, int digits);

/// A duration in a readable unit: `730 ns`, `12.3 us`, `4.56 ms`, `7.89 s`.
std::string duration_text(double ns);

/// The same for a latency of replies; `-` for 0, which stands for no replies.
std::string latency_text(std::uint64_t ns);

using model::grouped;

/// A number per second for people, with at least three digits: `7.25`, `31.2`, `12,345`.
std::string rate_text(double rate);

/// Rows of cells as lines of text, in columns: the first one left-aligned, the others
/// right-aligned. All rows have as many cells as the first.
std::string columns(const std::vector<std::vector<std::string>>& rows);

} // namespace matchcloud::load
