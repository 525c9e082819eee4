#pragma once

#include "actors/lobby_export/messages.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

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

} // namespace matchcloud::actors
