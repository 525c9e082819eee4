#pragma once

#include "actors/protocol.hpp"
#include "actors/waiter.hpp"
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

/// What the shards counted together. Any thread.
struct avatar_metrics {
  base::counter cache_hits;
  /// Lists read from the store and rendered.
  base::counter loads;
  base::gauge cached_bytes;
};

/// The avatar lists of a shard: the rendered replies, forgotten when their game's revision moves,
/// and who waits for which load. One list is loaded at a time; everybody who asks meanwhile waits
/// for the same load. No threads, no actor: tests call it directly.
class avatar_state {
public:
  /// A load that ended.
  struct ended_load {
    /// Whom to tell of it.
    std::vector<waiter> waiters;
    /// Nothing moved meanwhile: what it brought may be kept.
    bool is_current = false;
  };

  /// `metrics` outlives this.
  avatar_state(std::size_t cache_limit_bytes, avatar_metrics& metrics)
      : cache_{cache_limit_bytes}, metrics_{&metrics} {}

  /// The list, if it is kept; null where it has to be waited for.
  std::shared_ptr<const std::string> find(const model::uuid& game_id);
  /// Somebody waits for a list that is not kept.
  void wait(const model::uuid& game_id, waiter who);

  /// The game whose list is to be loaded now; none where one is, or nobody waits.
  std::optional<model::uuid> next() const;
  /// The load of `next` begins.
  void begin();
  /// It cannot begin: who waited for it.
  std::vector<waiter> refuse();
  /// The load that had begun ended. For whom it is too old, another is begun.
  ended_load end(const avatars_loaded& loaded);
  /// Keeps what a current load brought.
  void keep(const avatars_loaded& loaded);

  /// Lists moved.
  void on(const store::moved_games& moved);
  void clear();

private:
  struct cached_list {
    std::shared_ptr<const std::string> json;
    std::int64_t revision;
  };
  struct load {
    std::vector<waiter> waiters;
    /// Came after the list had moved again: what is being loaded may be too old for them.
    std::vector<waiter> late;
    /// The revision that it moved to meanwhile; 0: it did not.
    std::int64_t moved_to = 0;
  };

  void forget(const store::game_revision& moved);
  void count_cached_bytes();

  base::second_chance_cache<model::uuid, cached_list> cache_;
  avatar_metrics* metrics_;
  std::unordered_map<model::uuid, load> loads_;
  /// Games whose load has not begun, in order.
  std::deque<model::uuid> queue_;
  /// The game whose load runs.
  std::optional<model::uuid> loading_;
  std::size_t counted_bytes_ = 0;
};

} // namespace matchcloud::actors
