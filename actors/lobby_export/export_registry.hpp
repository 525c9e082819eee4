#pragma once

#include "actors/lobby_export/messages.hpp"
#include "base/clock.hpp"
#include "model/lobbies/export_query.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace matchcloud::actors {

/// The export state that outlives an export actor that dies: the running jobs, which continue, and
/// the finished files that can be reused. The successive export actors share one registry with the
/// threads of the jobs.
class export_registry {
public:
  struct running_job {
    model::export_query query;
    std::optional<store::history_snapshot> snapshot;
    /// The job's result; null until it has ended.
    std::shared_ptr<const export_ended> end;
    /// Written so far.
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
  };
  struct finished_export {
    store::export_facts facts;
    store::history_summary summary;
    /// When the last link issued for the file expires, in milliseconds since 1970.
    std::int64_t linked_until_ts = 0;
  };

  // -- for the jobs, any thread -----------------------------------------------

  void note_begin(std::uint64_t number, const store::history_snapshot& snapshot);
  void note_progress(std::uint64_t number, std::uint64_t rows, std::uint64_t bytes);
  void note_end(export_ended end);
  /// Becomes true when the jobs should stop early.
  const std::atomic<bool>& closing() const noexcept { return closing_; }
  /// Makes the jobs stop early, because the service is shutting down. Any thread.
  void close() noexcept { closing_ = true; }

  // -- for the current export actor -------------------------------------------

  /// Sends `who` the begins and ends of jobs from now on (null: nobody). Returns the running jobs.
  std::map<std::uint64_t, running_job> subscribe(caf::actor who);
  /// The running jobs.
  std::map<std::uint64_t, running_job> running() const;
  /// Stops sending to `who`; no effect if another actor has replaced it.
  void unsubscribe(const caf::actor_addr& who);
  /// Returns a number that no export actor has used before.
  std::uint64_t next_number() noexcept { return ++last_number_; }
  void add(std::uint64_t number, const model::export_query& query);
  void remove(std::uint64_t number);
  /// The time to compare expiries with when removing files, in milliseconds since 1970. It is the
  /// time of day, except that a jump ahead is accepted only after it has lasted for `patience`: the
  /// clock may be corrected, and removed files do not come back.
  std::int64_t removal_ts(const base::clock& clock, std::chrono::milliseconds patience);

  std::unordered_map<model::uuid, finished_export> finished;
  /// The newest file for each query.
  std::map<model::export_query, model::uuid> newest;

private:
  struct moment {
    base::steady_time at;
    std::int64_t ts;
  };

  std::optional<moment> believed_;
  std::optional<base::steady_time> ahead_since_;
  std::atomic<bool> closing_{false};
  std::uint64_t last_number_ = 0;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, running_job> running_;
  caf::actor subscriber_;
};

} // namespace matchcloud::actors
