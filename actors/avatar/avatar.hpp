#pragma once

#include "actors/avatar/avatar_state.hpp"
#include "actors/avatar/messages.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "store/database.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// How an avatar shard reaches what it needs. The objects pointed to must outlive the actor and its
/// replies.
struct avatar_settings {
  std::shared_ptr<store::database> database;
  base::blocking_pool* pool = nullptr;
  /// Accounts for the bytes of every list that is cached or being sent, each list once.
  base::byte_budget* budget = nullptr;
  avatar_metrics* metrics = nullptr;
  model::image_url_maker image_url;
  /// The size of this shard's cache of rendered lists.
  std::size_t cache_limit_bytes = 64UL * 1024 * 1024;
  /// The longest list that is rendered; longer lists fail with `list_too_large`.
  std::size_t list_limit_bytes = 64UL * 1024 * 1024;
};

/// Owns the avatar lists of its share of the games. One of several shards on the actors' pool;
/// reads and renders on the blocking pool.
class avatar final : public supervised_actor {
public:
  avatar(caf::actor_config& cfg, avatar_settings settings, model::catalog_snapshot catalog);

  const char* name() const override { return "avatar"; }

protected:
  caf::behavior make_behavior() override;
  /// Frees the state now: handles can keep the ended actor in memory.
  void on_exit() override;

private:
  void handle(const list_avatars& request);
  void start_next();
  static avatars_loaded run_load(const avatar_settings& settings, const model::uuid& game_id);
  void on(const avatars_loaded& loaded);
  /// `offer`: of the loaded list; null where it was not kept.
  void answer(const std::vector<waiter>& waiters, const avatars_loaded& loaded,
              const std::shared_ptr<const list_offer>& offer = {});

  avatar_settings settings_;
  model::catalog_snapshot catalog_;
  avatar_state state_;
};

} // namespace matchcloud::actors
