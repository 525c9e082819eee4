#pragma once

#include "actors/avatar/avatar_limits.hpp"
#include "actors/avatar/avatar_state.hpp"
#include "actors/avatar/messages.hpp"
#include "actors/avatar/rendered_lists.hpp"
#include "actors/news/messages.hpp"
#include "actors/request/resident.hpp"
#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "store/database.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// How avatar actors reach what they need. The objects pointed to must outlive the actors and their
/// replies.
struct avatar_settings {
  std::shared_ptr<store::database> database;
  base::blocking_pool* pool = nullptr;
  /// Accounts for the bytes of every list that is kept or being sent, each list once.
  base::byte_budget* budget = nullptr;
  avatar_metrics* metrics = nullptr;
  model::image_url_maker image_url;
  /// Shared by all avatar actors.
  std::shared_ptr<rendered_lists> lists;
  std::size_t list_limit_bytes = avatar_limits{}.list_limit_bytes;
};

/// Answers with the avatar lists of games; those that are not kept are read and rendered on the
/// blocking pool, and kept for all event loops. One per event loop, resident on it; one on the
/// actors' pool for the httplib transport.
class avatar final : public resident {
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
  void on(const avatars_changed& news);
  void on(const catalog_changed& news);
  void answer(const std::vector<waiter>& waiters, const avatars_loaded& loaded);

  avatar_settings settings_;
  model::catalog_snapshot catalog_;
  avatar_state state_;
};

} // namespace matchcloud::actors
