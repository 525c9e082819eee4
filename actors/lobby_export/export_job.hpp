#pragma once

#include "actors/lobby_export/messages.hpp"
#include "actors/request/services.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "model/text/uuid.hpp"
#include "store/database.hpp"
#include "store/exports/export_store.hpp"
#include "store/secrets/secret_versions.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace matchcloud::actors {

/// The reports of the jobs' threads to the export actor. Each job's reports are kept until the
/// actor has handled the job's end, because an actor may die before it receives them, and its
/// successor needs them. Any thread.
class export_reports {
public:
  struct report {
    std::optional<store::history_snapshot> snapshot;
    /// The job's result; null until it has ended.
    std::shared_ptr<const export_ended> end;
    /// Written so far.
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
  };

  // -- for the jobs -----------------------------------------------------------

  void note_begin(std::uint64_t job, const store::history_snapshot& snapshot);
  void note_progress(std::uint64_t job, std::uint64_t rows, std::uint64_t bytes);
  void note_end(export_ended end);
  /// Becomes true when the jobs should stop early.
  const std::atomic<bool>& closing() const noexcept { return closing_; }
  /// Makes the jobs stop early, because the service is shutting down.
  void close() noexcept { closing_ = true; }

  // -- for the current export actor -------------------------------------------

  /// Sends the kept begins and ends to `who` (null: nobody), and later ones as they happen.
  void subscribe(caf::actor who);
  report of(std::uint64_t job) const;
  /// Forgets a job whose end was handled.
  void forget(std::uint64_t job);

private:
  std::atomic<bool> closing_{false};
  mutable std::mutex mutex_;
  std::map<std::uint64_t, report> kept_;
  caf::actor subscriber_;
};

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

/// The URL of an export under `public_url`, valid until `expires_s` (seconds since 1970).
std::string export_url(const std::string& public_url, const model::uuid& export_id,
                       std::uint64_t expires_s, const store::secret_versions& keys);

/// Whether this service signed the URL with these parts. Does not check whether it has expired.
bool is_export_url_signed(const model::uuid& export_id, std::uint64_t expires_s,
                          std::string_view signature, const store::secret_versions& keys,
                          std::int64_t now_ts);

} // namespace matchcloud::actors
