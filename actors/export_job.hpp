#pragma once

#include "actors/protocol.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "store/database.hpp"
#include "store/exports/export_files.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace matchcloud::actors {

/// What exports count. Any thread.
struct export_metrics {
  base::gauge running;
  base::gauge queued;
  /// Requests that wait for a file.
  base::gauge waiting;
  base::counter finished;
  base::counter failed;
  /// Requests that were answered by a job of somebody else's, and by a file that was there.
  base::counter joined;
  base::counter reused;
  base::counter rows;
  /// Of CSV, written.
  base::counter bytes;
  /// Files of which a compressed one was made.
  base::counter compressed;
};

/// What an export needs to run. What is pointed at must outlive it.
struct export_job_settings {
  std::shared_ptr<store::database> database;
  store::export_files* files = nullptr;
  const base::clock* clock = nullptr;
  export_metrics* metrics = nullptr;
  /// Random (version 4).
  std::function<model::uuid()> new_id;
  std::chrono::milliseconds timeout{600'000};
  std::chrono::milliseconds url_lifetime{3'600'000};
};

/// What a long export kept the store from tidying away is tidied away after it, from so much on:
/// less is no matter.
inline constexpr std::uint64_t tidied_backlog_bytes = 4UL * 1024 * 1024;

/// What clients hear of a store that fails.
base::error history_unreadable();

/// Writes a game's history into a new file. `begun` is told the snapshot before anything is
/// written, `done` how it ended, as soon as that is known; afterwards the store may be tidied
/// up. Ends early where `ended` turns true. Blocks: for a thread of low priority.
void run_export(const export_job_settings& settings, const model::export_query& query,
                const std::atomic<bool>& ended,
                const std::function<void(const store::history_snapshot&)>& begun,
                const std::function<void(export_ended)>& done);

} // namespace matchcloud::actors
