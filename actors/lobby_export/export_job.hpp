#pragma once

#include "actors/lobby_export/export_reports.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "store/database.hpp"
#include "store/exports/export_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace matchcloud::actors {

/// Counts about exports. Any thread.
struct export_metrics {
  base::gauge running;
  base::gauge queued;
  /// Requests that wait for a file.
  base::gauge waiting;
  base::counter finished;
  base::counter failed;
  /// Exports that other processes write and requests of this one wait for.
  base::gauge followed;
  /// Exports that this process began because another one had stopped writing them.
  base::counter taken_over;
  /// Requests refused because their game had its share of the queue, or of the requests that wait.
  base::counter over_share;
  /// Requests answered by a job that another request had started, and by a finished file.
  base::counter joined;
  base::counter reused;
  base::counter rows;
  /// Bytes of CSV written.
  base::counter bytes;
  /// Files for which a compressed copy was made.
  base::counter compressed;
};

/// What an export job needs. The objects pointed to must outlive the job.
struct export_job_settings {
  std::shared_ptr<store::database> database;
  store::export_store* files = nullptr;
  const base::clock* clock = nullptr;
  export_metrics* metrics = nullptr;
  /// Makes random UUIDs (version 4).
  std::function<model::uuid()> new_id;
  std::chrono::milliseconds timeout{600'000};
  std::chrono::milliseconds url_lifetime{3'600'000};

  /// When a link that is issued now expires, in seconds since 1970.
  std::int64_t link_end_s() const;
};

/// What is known of an export that another process wrote; the rows are not.
store::history_summary summary_of(const store::export_record& whole);

/// After an export, the store is tidied up if its backlog is at least this large, because a long
/// export keeps the store from tidying up. A smaller backlog does not matter.
inline constexpr std::uint64_t tidied_backlog_bytes = 4UL * 1024 * 1024;

/// The error that clients get if the store fails.
base::error history_unreadable();

/// Writes a game's history into a new file, unless another process has or writes it. Tells `to` the
/// snapshot before anything is written, and the result as soon as it is known; afterwards the store
/// may be tidied up. Ends early if `to` is closing. Blocks, so run it on a thread of low priority.
void run_export(const export_job_settings& settings, std::uint64_t number,
                const model::export_query& query, export_reports& to);

} // namespace matchcloud::actors
