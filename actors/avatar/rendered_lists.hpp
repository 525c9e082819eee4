#pragma once

#include "base/metrics.hpp"
#include "base/second_chance_cache.hpp"
#include "model/text/uuid.hpp"
#include "store/moved_games.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace matchcloud::actors {

/// Counts of all avatar actors together. Any thread.
struct avatar_metrics : base::metric_set {
  base::counter cache_hits{
      *this, {"matchcloud_avatar_cache_hits_total", "Avatar lists answered from the cache."}};
  base::counter loads{
      *this, {"matchcloud_avatar_loads_total", "Avatar lists read from the store and rendered."}};
  base::gauge cached_bytes{
      *this, {"matchcloud_avatar_cached_bytes", "Rendered avatar lists held by the cache."}};
};

/// A game's rendered avatar list.
struct rendered_list {
  /// Null: there is none.
  std::shared_ptr<const std::string> json = {};
  /// The revision of the game's avatars; the list is at least this new.
  std::int64_t revision = 0;
};

/// The rendered lists of a process: the avatar actors of all event loops answer with them, and
/// blocking threads load them. What an actor has heard of moves is never answered again, by none of
/// them. Any thread.
class rendered_lists {
public:
  /// `metrics` must outlive the lists.
  rendered_lists(std::size_t limit_bytes, avatar_metrics& metrics)
      : limit_bytes_{limit_bytes}, cache_{limit_bytes}, metrics_{&metrics} {}

  /// The list as it was kept last, or an empty one.
  rendered_list find(const model::uuid& game_id);
  /// Notes that a list is being loaded; call before reading it, and `end` afterwards.
  void begin(const model::uuid& game_id);
  /// Keeps the loaded list, unless it is empty or older than what the game moved to meanwhile.
  void end(const model::uuid& game_id, rendered_list loaded);
  /// Drops the lists of games that moved. Returns what is dropped: freeing it may take long.
  std::shared_ptr<const void> forget(const store::moved_games& moved);

private:
  using cache = base::second_chance_cache<model::uuid, rendered_list>;
  struct loads {
    std::size_t running = 0;
    /// The revision that the list moved to while they ran; 0 if it did not move.
    std::int64_t moved_to = 0;
  };

  void count_bytes();

  mutable std::mutex mutex_;
  std::size_t limit_bytes_;
  cache cache_;
  std::unordered_map<model::uuid, loads> loading_;
  avatar_metrics* metrics_;
};

} // namespace matchcloud::actors
