#pragma once

#include "actors/protocol.hpp"
#include "actors/supervised_actor.hpp"
#include "actors/waiter.hpp"
#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "base/metrics.hpp"
#include "base/second_chance_cache.hpp"
#include "store/database.hpp"

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

/// How an avatar shard reaches what it needs. What is pointed at must outlive the actor and its
/// replies.
struct avatar_settings {
  std::shared_ptr<store::database> database;
  base::blocking_pool* pool = nullptr;
  /// Holds the bytes of every list that is cached or being sent, each once.
  base::byte_budget* budget = nullptr;
  avatar_metrics* metrics = nullptr;
  /// Put before `/media/..` in the URLs of images.
  std::string public_url;
  /// Rendered lists kept by this shard.
  std::size_t cache_limit_bytes = 64UL * 1024 * 1024;
  /// The longest list that is rendered; beyond: `list_too_large`.
  std::size_t list_limit_bytes = 64UL * 1024 * 1024;
};

/// Owns the avatar lists of its share of the games: the rendered replies, which are loaded at first
/// use and forgotten when the game's revision moves. A shard, on the pool; it reads and renders on
/// the blocking pool, one list at a time, and everybody who asks meanwhile waits for the same load.
class avatar final : public supervised_actor {
public:
  avatar(caf::actor_config& cfg, avatar_settings settings, model::catalog_snapshot catalog);

  const char* name() const override { return "avatar"; }

protected:
  caf::behavior make_behavior() override;
  /// Handles may keep the ended actor: what it owns goes now.
  void on_exit() override;

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

  void handle(const list_avatars& job);
  void start_next();
  static avatars_loaded run_load(const avatar_settings& settings, const model::uuid& game_id);
  void take(const avatars_loaded& loaded);
  void take(const avatars_changed& news);
  void forget(const store::game_revision& moved);
  void answer(const std::vector<waiter>& waiters, const avatars_loaded& loaded);
  void count_cached_bytes();

  avatar_settings settings_;
  model::catalog_snapshot catalog_;
  base::second_chance_cache<model::uuid, cached_list> cache_;
  std::unordered_map<model::uuid, load> loads_;
  /// Games whose load has not begun, in order.
  std::deque<model::uuid> queue_;
  /// The game whose load runs.
  std::optional<model::uuid> loading_;
  std::size_t counted_bytes_ = 0;
};

} // namespace matchcloud::actors
