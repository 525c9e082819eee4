#pragma once

#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/text/timestamp.hpp"
#include "store/lobby_history.hpp"
#include "store/sql/sql.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace matchcloud::store {

/// Just after the last time that a store can hold.
inline constexpr std::uint64_t times_end = std::uint64_t{model::timestamp_limit_ms} + 1;
/// The class of a lobby that lasts from the first to the last time that a store can hold.
inline constexpr int longest_class = std::bit_width(times_end - 1) - 1;

/// Which lobbies of a duration class may have been alive in a span: they start after `after` and
/// before `end`, and stop after `begin` or start no earlier. Milliseconds since 1970.
struct class_span {
  std::int64_t after = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A lobby of class k lasts less than 2^(k+1) ms, so one that is alive after the span begins starts
/// less than that before the begin. A running one was alive in every span that ends after its
/// start.
inline class_span span_of_class(const model::time_span& span, int duration_class) noexcept {
  const auto clamped = [](std::uint64_t time) { // all later times are equivalent
    return static_cast<std::int64_t>(std::min(time, times_end));
  };
  if (duration_class == model::running_class) return {-1, 0, clamped(span.end)};
  const auto begin = clamped(span.begin);
  return {begin - (std::int64_t{1} << (duration_class + 1)), begin, clamped(span.end)};
}

/// A lobby of the table `lobbies`, without its attributes.
struct lobby_row {
  std::int64_t start_ts = 0;
  model::uuid lobby_id;
  std::optional<std::int64_t> stop_ts;
  /// The row of its attributes in `lobby_kinds`.
  std::int64_t kind = 0;
};

/// The remaining lobbies of a duration class, ordered by start, then by id.
class lobby_cursor {
public:
  virtual ~lobby_cursor() = default;

  /// Reads the next lobby; returns false at the end. Throws like the connection.
  virtual bool next(lobby_row& into) = 0;
};

/// Passes the lobbies of all cursors to `to.take`, ordered by start, then by id, until it returns
/// false. Throws `cancelled` if `to.stop` returns true, or like the connection.
void merge_lobbies(sql_connection& on, std::span<lobby_cursor* const> cursors,
                   model::csv_dialect as, const history_reader& to);

} // namespace matchcloud::store
