#pragma once

#include "app/imports/line_input.hpp"
#include "base/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"
#include "model/catalog/catalog.hpp"
#include "model/latency/latency_csv.hpp"
#include "model/records/finding_list.hpp"
#include "store/geoip/geoip.hpp"
#include "store/latency_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {

struct latency_import_settings {
  const model::catalog* catalog = nullptr;
  /// Opens the GeoIP files once a file names clients by address; null: none is configured.
  std::function<std::shared_ptr<const store::geoip>()> open_geoip;
  /// Whether rows of regions that are not in the catalog are skipped.
  bool skips_unknown = false;
  /// Milliseconds since 1970.
  std::int64_t now_ms = 0;
};

struct latency_import_summary {
  std::size_t rows = 0;
  /// Latencies between a cell and a region that the rows were added to.
  std::size_t entries = 0;
  /// Rows of unknown regions.
  std::size_t skipped = 0;
  /// Rows of an asn or a country, which are no longer learned.
  std::size_t former = 0;
};

/// Imports latencies from CSV: first checks all files, then adds their rows to the store in
/// batches. One thread.
class latency_importer {
public:
  /// The most rows of all files, each 24 bytes of memory.
  static constexpr std::size_t row_limit = 2'000'000;

  /// `progress` must outlive the import.
  latency_importer(latency_import_settings settings, cli::progress_display& progress);

  /// Reads and checks a file, which messages call `file`. Fails with `io_failed`, with
  /// `import_invalid` beyond the limit, or with `geoip_invalid`; wrong lines are in `findings`.
  void check(const std::string& file, line_input& in, const cli::interrupt& until);
  const model::finding_list& findings() const noexcept { return findings_; }

  /// Adds all rows. Fails as the store does, or with `cancelled` after a signal; then the detail
  /// says how many rows were already added.
  latency_import_summary write(store::latency_store& into, const cli::interrupt& until);

private:
  /// A row that waits to be added.
  struct waiting_row {
    model::latency_cell cell;
    std::uint32_t minute = 0;
    /// A position in the catalog.
    std::uint32_t region = 0;
    float milliseconds = 0;
    std::uint16_t speakers = 0;
  };
  static_assert(sizeof(waiting_row) <= 24);
  struct open_file;

  void take(open_file& file, const model::input_line& line);
  void take_header(open_file& file, const model::input_line& line);
  // Both throw the error of the row.
  void take_row(const model::latency_row& row);
  model::latency_cell cell_of(const model::latency_row& row, const model::region& region) const;
  /// Merges all rows of a cell and a region, from `first` on; returns where the next ones begin.
  std::size_t join(std::size_t first, std::uint64_t import_id, model::learned_entry& into) const;

  latency_import_settings settings_;
  cli::progress_display* progress_;
  std::shared_ptr<const store::geoip> geoip_;
  model::finding_list findings_;
  std::vector<waiting_row> rows_;
  std::size_t skipped_ = 0;
  std::size_t former_ = 0;
};

} // namespace matchcloud::app
