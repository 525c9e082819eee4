#pragma once

#include "actors/lobby_export/export_reports.hpp"
#include "actors/request/services.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "store/database.hpp"
#include "store/exports/export_store.hpp"

#include <chrono>
#include <cstdint>
#include <memory>

namespace matchcloud::actors {

/// Counts about exports. Any thread.
struct export_metrics : base::metric_set {
  base::gauge running{*this, {"matchcloud_exports_running", "Exports being written now."}};
  base::gauge queued{*this, {"matchcloud_exports_queued", "Exports waiting for their turn."}};
  base::gauge waiting{*this, {"matchcloud_exports_waiting", "Requests waiting for an export."}};
  base::gauge followed{*this,
                       {"matchcloud_exports_followed",
                        "Exports of other replicas that requests of this one are waiting for."}};
  base::counter taken_over{
      *this,
      {"matchcloud_exports_taken_over_total",
       "Exports started here because the replica that was writing them stopped."}};
  base::counter finished{
      *this, {"matchcloud_exports_finished_total", "Exports that finished with a file."}};
  base::counter failed{*this, {"matchcloud_exports_failed_total", "Exports that failed."}};
  base::counter over_share{*this, store::exports_over_share, {"of", "queue"}};
  base::counter joined{
      *this, {"matchcloud_exports_joined_total", "Requests that joined an export in progress."}};
  base::counter reused{
      *this, {"matchcloud_exports_reused_total", "Requests served with an existing file."}};
  base::counter compressed{
      *this, {"matchcloud_exports_compressed_total", "Export files that were also compressed."}};
  base::counter rows{*this, {"matchcloud_exported_lobbies_total", "Lobbies written by exports."}};
  base::counter bytes{*this,
                      {"matchcloud_exported_bytes_total", "Bytes of CSV of finished exports."}};
};

struct export_job_settings {
  std::chrono::milliseconds timeout{600'000};
  std::chrono::milliseconds url_lifetime{3'600'000};

  /// When a link that is issued now expires, in seconds since 1970.
  std::int64_t link_end_s(const base::clock& by) const;
};

/// What is known of an export that another process wrote; the number of rows is not.
store::history_summary summary_of(const store::export_record& whole);

/// After an export, the store is tidied up if its backlog is at least this large, because a long
/// export keeps the store from tidying up. A smaller backlog does not matter.
inline constexpr std::uint64_t tidied_backlog_bytes = 4UL * 1024 * 1024;

/// The error that clients get if the store fails.
base::error history_unreadable();

/// Writes a game's history into a new file, unless another process has or writes it. Reports the
/// snapshot to `to` before anything is written, and the result as soon as it is known; afterwards
/// the store may be tidied up. Ends early if `to` is closing. Blocks, so run it on a thread of low
/// priority.
void run_export(const services& with, const export_job_settings& settings, std::uint64_t number,
                const model::export_query& query, export_reports& to);

} // namespace matchcloud::actors
