#pragma once

#include "actors/avatar/avatar_lists.hpp"
#include "actors/avatar/messages.hpp"
#include "actors/news/messages.hpp"
#include "actors/request/resident.hpp"
#include "actors/request/waiter.hpp"
#include "model/catalog/catalog.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// Answers requests for the avatar lists of games; lists that are not cached are loaded first. One
/// per event loop, resident on it.
class avatar final : public resident {
public:
  /// `lists` is shared by all avatar actors.
  avatar(caf::actor_config& cfg, std::shared_ptr<avatar_lists> lists,
         model::catalog_snapshot catalog);

  const char* name() const override { return "avatar"; }

protected:
  caf::behavior make_behavior() override;
  /// Frees the state now: handles can keep the ended actor in memory.
  void on_exit() override;

private:
  void handle(const list_avatars& request);
  void on(const avatars_loaded& loaded);
  void on(const catalog_changed& news);

  std::shared_ptr<avatar_lists> lists_;
  model::catalog_snapshot catalog_;
  /// The waiting requests, by the number of their load.
  std::unordered_map<std::uint64_t, std::vector<waiter>> waiting_;
};

} // namespace matchcloud::actors
