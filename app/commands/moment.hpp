#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// Where a duration leads from now.
enum class direction : std::uint8_t { ahead, back };

/// Reads the value of `option`: an RFC 3339 time, or a duration from `now_ms`, which does not lead
/// back beyond 1970. Returns milliseconds since 1970. Fails with `query_invalid`.
base::expected<std::int64_t> parse_moment(std::string_view option, const std::string& text,
                                          std::int64_t now_ms, direction where);

} // namespace matchcloud::app
