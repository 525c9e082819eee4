#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"
#include "store/lobby_sink.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace matchcloud::actors {

/// How batches of lobbies are gathered.
struct gathering_limits {
  /// Transactions that run at the same time.
  std::size_t at_once = 4;
  /// How many of them may be for small batches. While these wait for the disk, small batches
  /// gather: the fewer run, the more are merged together.
  std::size_t small_at_once = 2;
  /// The most lobbies of a small batch.
  std::size_t small_lobbies = 256;
  /// The most lobbies and batches that are merged together.
  std::size_t together_lobbies = 4'096;
  std::size_t together_batches = 256;
};

/// Merges small batches of several threads together: batches that wait while others are written
/// become one transaction, which waits for the disk once. No batch waits for others to arrive. Any
/// thread.
class merge_gathering {
public:
  /// Merges batches together and sets the outcome of each.
  using merge_parts = std::function<void(std::span<store::merge_part>)>;

  /// The callers' threads call `merge`, within the limit on simultaneous transactions.
  explicit merge_gathering(merge_parts merge, const gathering_limits& limits = {})
      : merge_{std::move(merge)}, limits_{limits} {}

  /// Blocks until the batch is merged. Returns its outcome.
  base::expected<store::lobby_merge> merge(store::merge_part part);
  /// How many batches wait for others to be merged.
  std::size_t waiting() const;

private:
  /// A thread with its batch.
  struct entry {
    store::merge_part part;
    /// The batches that its thread merges, its own first; empty unless it was chosen.
    std::vector<entry*> group = {};
    bool is_done = false;
    /// What held up the thread that merged it.
    std::vector<base::fault_hold> holds = {};
    std::condition_variable wake = {};
  };

  bool is_small(const entry& of) const { return of.part.records.size() <= limits_.small_lobbies; }
  /// Chooses the entries that may begin. Call this with the lock held.
  void choose();
  void gather(entry& into);
  void perform(std::vector<entry*>& group) const;

  const merge_parts merge_;
  const gathering_limits limits_;
  mutable std::mutex mutex_;
  /// Entries that have not been chosen yet, in the order of their arrival.
  std::deque<entry*> waiting_;
  std::size_t running_ = 0;
  std::size_t small_running_ = 0;
};

} // namespace matchcloud::actors
