#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/latency/kept_latencies.hpp"
#include "app/latency/latency_commands.hpp"
#include "base/clock.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/print.hpp"
#include "cli/progress_display.hpp"
#include "model/latency/latency_csv.hpp"

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

struct export_options {
  store::store_place store;
  std::string file = "-";
};

struct export_summary {
  std::uint64_t rows = 0;
  /// Latencies of regions that are not in the catalog or have moved, so that nothing can use them.
  std::uint64_t obsolete = 0;
  std::uint64_t bytes = 0;
};

/// Whether the entry belongs to a region of the catalog that has not moved since.
bool is_current(const model::learned_entry& entry, const model::catalog& in) {
  const auto* const region = in.find_region(entry.region_id);
  return region != nullptr && region->datacenter_coord == entry.region_at;
}

base::expected<export_summary> write_all(const export_options& options, cli::output_file& to,
                                         const cli::interrupt& until) {
  const auto database = store::open_to_read(options.store);
  if (!database) return tl::unexpected(database.error());
  const auto catalog =
      (*database)->catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  const auto in = (*database)->latencies();
  if (!in) return tl::unexpected(in.error());
  if (auto begun = to.begin(until); !begun) return tl::unexpected(begun.error());
  cli::progress_display progress{base::machine_clock()};
  progress.begin("latencies", std::nullopt);
  export_summary summary;
  std::string text{model::latency_csv_header};
  const auto done = read_all(**in, [&](const auto& entries) -> base::expected<void> {
    if (until.came()) return base::fail(base::errc::cancelled, "interrupted");
    for (const auto& each : entries) {
      if (!is_current(each, *catalog))
        ++summary.obsolete;
      else if (append_latency_csv(text, each))
        ++summary.rows;
    }
    progress.show(summary.rows, summary.rows);
    return to.write(std::exchange(text, {}));
  });
  if (!done) return tl::unexpected(done.error());
  summary.bytes = to.bytes();
  return summary;
}

base::expected<export_summary> run(const export_options& options) {
  // Opens before signals are caught: opening a named pipe blocks, and a signal must still end it.
  auto opened = cli::output_file::open(options.file);
  if (!opened) return tl::unexpected(opened.error());
  const cli::interrupt until;
  // Destroyed before `until`: a second signal must not end the process before the temporary file is
  // removed.
  auto to = *std::move(opened);
  const auto done = write_all(options, to, until);
  if (!done) return done;
  if (auto completed = to.complete(); !completed) return tl::unexpected(completed.error());
  return done;
}

int report(const base::expected<export_summary>& done) {
  if (!done) {
    if (!done.error().detail.empty()) cli::say("matchcloud latency export", done.error().detail);
    return failed;
  }
  std::cerr << done->rows << " latencies, " << done->bytes << " bytes\n";
  if (done->obsolete > 0)
    std::cerr << "matchcloud latency export: " << done->obsolete
              << " latencies were left out: their regions are not in the catalog or have moved\n";
  return ok;
}

constexpr const char* latency_export_help =
    "Writes a CSV (RFC 4180) with a row for each cell (network, place) and region of the catalog, "
    "in the order of their last change. Networks of fewer than five clients are never included. "
    "`reporters` is the number of clients of a network and of networks of a place, at most 16; "
    "`reports` is their effective number when the last one reported (`reported`).\n\n"
    "`latency import` reads the file; only the spread of a cell's reports is lost. A row that a "
    "service changes during the export can be in the file twice.\n\n"
    "FILE is replaced only once the export is complete: it is whole, or as it was before. The last "
    "line on stderr counts latencies and bytes.\n\n"
    "Example: matchcloud latency export latencies.csv --data-dir var\n"
    "Example: matchcloud latency export --store postgresql:///matchcloud | gzip > latencies.csv.gz";

} // namespace

void add_latency_export_command(CLI::App& latency, int& code) {
  auto* command = latency.add_subcommand("export", "Write all learned latencies as CSV.");
  set_help(*command, latency_export_help);
  const auto options = std::make_shared<export_options>();
  add_store_options(*command, options->store);
  command->add_option("FILE", options->file, "The output file; - is stdout.")
      ->capture_default_str()
      ->check(cli::not_empty());
  command->callback([options, &code] { code = report(run(*options)); });
}

} // namespace matchcloud::app
