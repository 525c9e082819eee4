#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// Reads an RFC 3339 time, or a date such as `2026-01-31`, which is its first instant (UTC).
/// Returns milliseconds since 1970; nothing for any other text.
std::optional<std::int64_t> parse_time_or_date(std::string_view text);

/// The direction of a duration from now.
enum class direction : std::uint8_t { ahead, back };

/// Reads the value of `option`: a time or date as above, or a duration from `now_ms`, which ends no
/// earlier than 1970. Returns milliseconds since 1970. Fails with `query_invalid`.
base::expected<std::int64_t> parse_moment(std::string_view option, const std::string& text,
                                          std::int64_t now_ms, direction where);

} // namespace matchcloud::app
