#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "model/validation/validation_rules.hpp"

#include <compare>
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

/// A request for an export of lobby history.
struct export_query {
  uuid game_id;
  time_span span;

  friend auto operator<=>(const export_query&, const export_query&) = default;
};

/// Reads the body of `export-history`: an object with the integers `query_start` and `query_end`.
/// Further members are findings unless `rules` ignore unknown ones. Fails with `body_malformed`,
/// `body_too_deep`, `body_not_object`, or with `query_invalid`, whose detail names every member
/// that is wrong.
base::expected<time_span> read_export_span(std::string_view body,
                                           const validation_rules& rules = {});

} // namespace matchcloud::model
