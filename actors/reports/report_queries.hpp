#pragma once

#include "actors/request/trace_query.hpp"
#include "base/expected.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::actors {

/// How serious a problem is; the names are in the same order.
enum class attention_severity : std::uint8_t { critical, warning, notice };
inline constexpr std::array<std::string_view, 3> attention_severity_names{"critical", "warning",
                                                                          "notice"};

/// A span of the process's past.
struct past_query {
  /// Milliseconds since 1970. Absent: `last` before the end, and now.
  std::optional<std::int64_t> from_ms;
  std::optional<std::int64_t> to_ms;
  /// 1 s to a day.
  std::chrono::seconds last = std::chrono::hours{1};
  /// The length of each part, 1 s to an hour. Absent: one that makes at most 360 parts.
  std::optional<std::chrono::seconds> step;
};

/// Reads `from`, `to` (milliseconds since 1970), `last` and `step` (seconds). Fails with
/// `query_invalid`.
base::expected<past_query> read_past_query(const query_parameters& of);

} // namespace matchcloud::actors
