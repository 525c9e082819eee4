#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace matchcloud::cli {

/// The longest duration that `parse_duration` reads, about 100 years.
inline constexpr std::chrono::days duration_limit{36'500};
/// What `parse_duration` allows, for an error message.
inline constexpr std::string_view duration_allowed =
    "a whole number of s, m, h or d, as in 30m or 90d, up to 36500d";

/// Reads a whole number with one of the units `s`, `m`, `h`, `d`: `90d`. Only `0` needs none. Empty
/// if the text is anything else or longer than `duration_limit`.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

} // namespace matchcloud::cli
