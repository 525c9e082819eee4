#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace matchcloud::cli {

/// A unit of durations and how it is written.
struct duration_unit {
  std::string_view name;
  std::chrono::nanoseconds length;
};

/// Reads a number followed by one of `units`: `1.5h`. A unit with an empty name allows numbers
/// without a unit. Empty if the text is anything else, negative or longer than `most`. Rounds to
/// nanoseconds.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text,
                                                       std::span<const duration_unit> units,
                                                       std::chrono::nanoseconds most) noexcept;

/// The longest duration that `parse_whole_duration` reads, about 100 years.
inline constexpr std::chrono::days duration_limit{36'500};
/// What `parse_whole_duration` allows, for an error message.
inline constexpr std::string_view duration_allowed =
    "a whole number of s, m, h or d, such as 30m or 90d, up to 36500d";

/// Reads a whole number with one of the units `s`, `m`, `h`, `d`: `90d`. Only `0` needs no unit.
/// Empty if the text is anything else or longer than `duration_limit`.
std::optional<std::chrono::milliseconds> parse_whole_duration(std::string_view text) noexcept;

} // namespace matchcloud::cli
