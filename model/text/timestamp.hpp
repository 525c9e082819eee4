#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// 9999-12-31T23:59:59.999Z, the last time that RFC 3339 can write. Times here are milliseconds
/// since 1970-01-01T00:00:00Z, from 0 to this limit.
inline constexpr std::int64_t timestamp_limit_ms = 253'402'300'799'999;

/// Reads an RFC 3339 date-time with any offset; `t` and `z` may be lower case. Digits beyond the
/// milliseconds are cut off. Second 60 is accepted where a leap second can be, at 23:59:60 UTC on
/// the last day of a month (RFC 3339 section 5.7, appendix D), and is read as the second after it,
/// as clocks without leap seconds count; it is not checked whether that month had one. Empty if the
/// text is anything else or the time, as UTC, is outside the years 1970 to 9999.
std::optional<std::int64_t> parse_timestamp(std::string_view text) noexcept;

/// Whether `parse_timestamp` refuses `text` only because its second 60 is not a leap second.
bool has_misplaced_leap_second(std::string_view text) noexcept;

/// Reads a JSON number (RFC 8259 section 6) as a time. Empty if it is not an integer from 0 to
/// `timestamp_limit_ms`; `1e3` is 1000.
std::optional<std::int64_t> parse_timestamp_ms(std::string_view number) noexcept;

/// Whether a number given as milliseconds is more likely seconds: as seconds it is a time of the
/// years 2000 to 2099, as milliseconds one of early 1970 (11 January to 17 February).
constexpr bool looks_like_seconds(std::uint64_t ms) noexcept {
  constexpr std::uint64_t year_2000_s = 946'684'800;
  constexpr std::uint64_t year_2100_s = 4'102'444'800;
  return ms >= year_2000_s && ms < year_2100_s;
}

/// The time as `2026-01-31T23:59:59.999Z`. `ms` must be from 0 to `timestamp_limit_ms`.
std::string format_timestamp(std::int64_t ms);
inline std::optional<std::string> format_timestamp(const std::optional<std::int64_t>& ms) {
  return ms ? std::optional{format_timestamp(*ms)} : std::nullopt;
}

/// The length of the result of `format_timestamp`.
inline constexpr std::size_t timestamp_length = 24;

/// Writes `format_timestamp(ms)` to the `timestamp_length` bytes at `to`; returns the end.
char* write_timestamp(char* to, std::int64_t ms) noexcept;

} // namespace matchcloud::model
