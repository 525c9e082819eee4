#pragma once

#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Counts the rows of a CSV (RFC 4180) that arrives in pieces, cut anywhere. Line ends inside
/// quotes do not count. Constant memory.
class csv_row_counter {
public:
  /// Counts the rows of the next piece. O(piece), by memchr.
  void add(std::string_view piece) noexcept;

  /// Rows so far, header included; counts a row that has begun even if its line end has not
  /// arrived.
  std::uint64_t rows() const noexcept { return ended_ + (begun_ ? 1 : 0); }

private:
  std::uint64_t ended_ = 0;
  /// Whether bytes followed the last line end.
  bool begun_ = false;
  /// Whether the next byte is inside quotes. A doubled quote closes and reopens, which has the same
  /// effect.
  bool quoted_ = false;
};

/// The first line of every export (RFC 4180), line end included.
inline constexpr std::string_view lobby_csv_header =
    "lobby_id,namespace_id,namespace_name,region_id,region_name,tier,version_id,version_name,"
    "game_mode,start_ts,stop_ts,total_uptime_ms,query_uptime_ms\r\n";

/// The beginning of an export in this dialect: the header, in `excel` after a byte order mark.
std::string csv_beginning(csv_dialect as);

/// The columns `namespace_id` to `game_mode`, quoted where RFC 4180 requires it, without a comma at
/// either end: rendered once for all lobbies that share the attributes.
///
/// In `excel` an apostrophe precedes each `=`, `+`, `-`, `@`, their full-width forms, tab and
/// line end at the beginning of a text and after each `;`, which separates cells where a comma
/// separates decimals, tab and line end; also behind spaces and quotes there (OWASP, "CSV
/// Injection").
std::string csv_attribute_columns(const lobby_attributes& attributes,
                                  std::string_view namespace_name, std::string_view region_name,
                                  csv_dialect as = csv_dialect::exact);

/// A lobby in an export.
struct history_lobby {
  uuid lobby_id;
  lobby_times times;
  /// The `csv_attribute_columns` of its attributes. Only valid during the call that receives it.
  const std::string* attribute_columns = nullptr;
};

/// Appends a lobby's row, line end included. `span` is the span of the export and `snapshot_ts` the
/// time of its snapshot (milliseconds since 1970), up to which a running lobby is counted.
void append_lobby_csv(std::string& out, const history_lobby& lobby, const time_span& span,
                      std::int64_t snapshot_ts);

} // namespace matchcloud::model
