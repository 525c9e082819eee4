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
  /// Says how often lists moved; ask before a load, and give it to `keep`.
  std::uint64_t moves() const;
  /// Keeps a list, unless lists moved since `moves_before`: it may be older than what moved.
  void keep(const model::uuid& game_id, rendered_list list, std::uint64_t moves_before);
  /// Drops the lists of games that moved. Returns what is dropped: freeing it may take long.
  std::shared_ptr<const void> forget(const store::moved_games& moved);

private:
  using cache = base::second_chance_cache<model::uuid, rendered_list>;

  void count_bytes();

  mutable std::mutex mutex_;
  std::size_t limit_bytes_;
  cache cache_;
  std::uint64_t moves_ = 0;
  avatar_metrics* metrics_;
};

} // namespace matchcloud::actors
