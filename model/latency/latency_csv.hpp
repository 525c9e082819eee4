#pragma once

#include "base/expected.hpp"
#include "model/latency/voices.hpp"
#include "model/net/ip_address.hpp"
#include "model/records/line_splitter.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace matchcloud::model {

// Learned latencies as CSV (RFC 4180), with a row for each cell and region.

/// The line before the rows, line end included.
inline constexpr std::string_view latency_csv_header =
    "kind,cell,region,ms,ratio,reports,reporters,reported\r\n";

/// Appends the row of an entry, line end included. `reports` is the effective number of voices at
/// the time `reported`. Returns false and appends nothing for a network with too few reporters and
/// for an entry without voices.
bool append_latency_csv(std::string& out, const learned_entry& entry);

/// A row that was read.
struct latency_row {
  /// Whose latency it is: a cell's, or that of a client with a location or an address.
  std::variant<latency_cell, coordinates, ip_address> client;
  /// Valid as long as the line is.
  std::string_view region_id;
  double milliseconds = 0;
  /// The number of speakers that the row stands for: at most its `reporters` and its `reports`.
  std::uint16_t speakers = 1;
  /// Minutes since 1970.
  std::uint32_t minute = 0;
};

/// Reads CSV with named columns in any order. The client is in `kind` and `cell`, in `latitude` and
/// `longitude`, or in `address`; then `region`, `ms`, and optionally `reports`, `reporters` and
/// `reported`. One thread.
class latency_csv_reader {
public:
  static constexpr double reports_limit = 200;
  static constexpr double least_reports = 0.1;

  /// `now_minute`: the time of rows without `reported`, in minutes since 1970.
  explicit latency_csv_reader(std::uint32_t now_minute) : now_minute_{now_minute} {}

  /// Reads the first line, which names the columns; its bytes are overwritten. Fails with
  /// `import_invalid`, as `read` does; the detail says what is wrong with the line and what to do.
  base::expected<void> read_header(const input_line& line);
  /// Whether rows name clients by their addresses.
  bool has_addresses() const noexcept { return has(column::address); }
  /// Reads a further line, whose bytes are overwritten; nothing for an asn or a country, which
  /// earlier versions learned.
  base::expected<std::optional<latency_row>> read(const input_line& line);

private:
  enum class column : std::uint8_t {
    kind,
    cell,
    latitude,
    longitude,
    address,
    region,
    ms,
    ratio,
    reports,
    reporters,
    reported
  };
  static constexpr std::array<std::string_view, 11> column_names{
      "kind", "cell",  "latitude", "longitude", "address", "region",
      "ms",   "ratio", "reports",  "reporters", "reported"};
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  bool has(column which) const noexcept { return at(which) != absent; }
  std::size_t at(column which) const noexcept { return places_[static_cast<std::size_t>(which)]; }
  /// The row's value in a column; empty if there is no such column.
  std::string_view text(column which) const noexcept;
  // These throw `base::failure`.
  void take_names();
  void check_columns() const;
  void read_client(latency_row& row) const;
  void read_value(latency_row& row) const;
  void read_numbers(latency_row& row) const;

  std::uint32_t now_minute_;
  std::vector<std::string_view> fields_;
  /// How many columns the header has, and where each is in it.
  std::size_t columns_ = 0;
  std::array<std::size_t, column_names.size()> places_{};
};

/// The voices that a row adds. Rows of a cell with the same `number` have the same speakers, so
/// that their regions can be compared, and adding the same rows again changes nothing.
voices voices_of(double milliseconds, std::uint16_t speakers, std::uint32_t minute,
                 latency_cell cell, std::uint64_t number);

} // namespace matchcloud::model
