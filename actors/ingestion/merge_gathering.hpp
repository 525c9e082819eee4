#pragma once

#include "base/expected.hpp"
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

/// How batches of lobbies come together.
struct gathering_limits {
  /// Transactions that run at the same time.
  std::size_t at_once = 4;
  /// Those of them that are of small batches. While these wait for the disk, small batches gather:
  /// the fewer run, the more are merged together.
  std::size_t small_at_once = 2;
  /// Lobbies up to which a batch is small.
  std::size_t small_lobbies = 256;
  /// Lobbies and batches that are merged together.
  std::size_t together_lobbies = 4'096;
  std::size_t together_batches = 256;
};

/// Has small batches of several threads merged together: those that wait while others are written
/// become one transaction, which waits for the disk once. Nobody waits for others to come. Any
/// thread.
class merge_gathering {
public:
  /// Merges batches together and sets what became of each.
  using merge_parts = std::function<void(std::span<store::merge_part>)>;

  /// `merge` is called from the threads that call `merge`, as many at the same time as limits say.
  explicit merge_gathering(merge_parts merge, const gathering_limits& limits = {})
      : merge_{std::move(merge)}, limits_{limits} {}

  /// Blocks until the batch is merged. Returns what became of it.
  base::expected<store::lobby_merge> merge(store::merge_part part);
  /// How many batches wait for others to be merged.
  std::size_t waiting() const;

private:
  /// A thread with its batch.
  struct entry {
    store::merge_part part;
    /// The batches that its thread merges, its own first; empty unless it has been chosen to.
    std::vector<entry*> group = {};
    bool is_done = false;
    std::condition_variable wake = {};
  };

  bool is_small(const entry& of) const { return of.part.records.size() <= limits_.small_lobbies; }
  /// Chooses those that may begin. Call this with the lock.
  void choose();
  void gather(entry& into);
  void perform(std::vector<entry*>& group) const;

  const merge_parts merge_;
  const gathering_limits limits_;
  mutable std::mutex mutex_;
  /// In the order of their arrival; none of them has been chosen.
  std::deque<entry*> waiting_;
  std::size_t running_ = 0;
  std::size_t small_running_ = 0;
};

} // namespace matchcloud::actors
