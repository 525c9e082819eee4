#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::model {

/// A half-open span of time: it includes `begin` and excludes `end`. Milliseconds since 1970, the
/// whole unsigned 64-bit range. Empty if they are equal; `begin` is never after `end`.
struct time_span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend auto operator<=>(const time_span&, const time_span&) = default;
};

/// How cells of an export are written.
enum class csv_dialect : std::uint8_t {
  /// As in RFC 4180: texts are unchanged.
  exact,
  /// For spreadsheets: texts that look like formulas are changed, so that none runs (CWE-1236), and
  /// a byte order mark marks the file as UTF-8.
  excel,
};
inline constexpr std::array<std::string_view, 2> csv_dialect_names{"exact", "excel"};

/// The dialect of this name. Fails with `query_invalid`.
base::expected<csv_dialect> parse_csv_dialect(std::string_view name);

/// A request for an export of lobby history. Requests that are equal share their file.
struct export_query {
  export_query() = default;
  /// The file of an empty span has no texts. It is the same in every dialect and counts as exact.
  export_query(const uuid& of_game, const time_span& of_span,
               csv_dialect as = csv_dialect::exact) noexcept
      : game_id{of_game},
        span{of_span},
        dialect{of_span.begin == of_span.end ? csv_dialect::exact : as} {}

  uuid game_id;
  time_span span;
  csv_dialect dialect = csv_dialect::exact;

  friend auto operator<=>(const export_query&, const export_query&) = default;
};

/// The configured rules for bodies.
struct export_body_rules {
  /// Whether members other than those of the span are ignored.
  bool ignores_unknown_members = false;
  /// Nesting depth of objects and arrays.
  std::size_t depth_limit = 64;
};

/// Reads the body of `export-history`: an object with the integers `query_start` and `query_end`.
/// Fails with `body_malformed`, `body_too_deep`, `body_not_object`, or with `query_invalid`, whose
/// detail names every wrong member.
base::expected<time_span> read_export_span(std::string_view body,
                                           const export_body_rules& rules = {});

} // namespace matchcloud::model
