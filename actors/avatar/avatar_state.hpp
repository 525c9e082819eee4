#pragma once

#include "actors/avatar/list_offer.hpp"
#include "actors/avatar/messages.hpp"
#include "actors/request/waiter.hpp"
#include "base/metrics.hpp"
#include "base/second_chance_cache.hpp"
#include "store/moved_games.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// Counts of all shards together. Any thread.
struct avatar_metrics : base::metric_set {
  base::counter cache_hits{
      *this, {"matchcloud_avatar_cache_hits_total", "Avatar lists answered from the cache."}};
  base::counter loads{
      *this, {"matchcloud_avatar_loads_total", "Avatar lists read from the store and rendered."}};
  base::gauge cached_bytes{
      *this, {"matchcloud_avatar_cached_bytes", "Rendered avatar lists held by the cache."}};
};

/// The avatar lists of a shard: rendered replies, which are offered to fronts and withdrawn when
/// their game's revision moves, and the requests that wait for each load. One list is loaded at a
/// time; all requests that arrive during a load wait for that load. No threads and no actor, so
/// that tests can call it directly.
class avatar_state {
public:
  /// The result of a load that ended.
  struct ended_load {
    /// The requests to answer.
    std::vector<waiter> waiters;
    /// Whether the list did not change during the load, so that the result may be cached.
    bool is_current = false;
  };

  /// `metrics` must outlive the state.
  avatar_state(std::size_t cache_limit_bytes, avatar_metrics& metrics)
      : cache_{cache_limit_bytes}, metrics_{&metrics} {}

  /// Returns the cached list, or null if the request has to wait for it.
  std::shared_ptr<const list_offer> find(const model::uuid& game_id);
  /// Adds a request that waits for a list that is not cached.
  void wait(const model::uuid& game_id, waiter who);

  /// Returns the game whose list is to be loaded now; nothing if a load runs or no request waits.
  std::optional<model::uuid> next() const;
  /// Marks the load of `next` as running.
  void begin();
  /// Drops the load of `next`, which cannot begin. Returns the requests that waited for it.
  std::vector<waiter> refuse();
  /// Ends the load that was running. Queues another load for the requests for which the result is
  /// too old.
  ended_load end(const avatars_loaded& loaded);
  /// Caches the result of a current load. Returns the offer of it, which has ended already where
  /// the list does not fit.
  std::shared_ptr<const list_offer> keep(const avatars_loaded& loaded);

  /// Drops cached lists whose game's revision moved.
  void on(const store::moved_games& moved);
  /// Drops all cached lists.
  void forget_all();
  void clear();

private:
  struct cached_list {
    standing_offer offer;
    std::int64_t revision = 0;
  };
  struct load {
    std::vector<waiter> waiters;
    /// Requests that came after the list had changed during the load, whose result may be too old
    /// for them.
    std::vector<waiter> late;
    /// The revision that the list moved to during the load; 0 if it did not move.
    std::int64_t moved_to = 0;
  };

  void forget(const store::game_revision& moved);
  void count_cached_bytes();

  base::second_chance_cache<model::uuid, cached_list> cache_;
  avatar_metrics* metrics_;
  std::unordered_map<model::uuid, load> loads_;
  /// Games whose load has not begun, in order of arrival.
  std::deque<model::uuid> queue_;
  /// The game whose load is running.
  std::optional<model::uuid> loading_;
  std::size_t counted_bytes_ = 0;
};

} // namespace matchcloud::actors
