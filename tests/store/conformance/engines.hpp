#pragma once

#include "tests/store/store_fixture.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A store that nobody else has, as new as an engine makes it.
class fresh_store {
public:
  virtual ~fresh_store() = default;
  /// Opens it, as another process would that has no other way to it.
  virtual base::expected<std::shared_ptr<database>> open() const = 0;
};

/// What the conformance suite runs on. An engine of a store is done when that passes.
struct engine {
  std::string name;
  std::function<std::unique_ptr<fresh_store>()> make;
};
const std::vector<engine>& engines();

/// Each engine in turn: the test case runs once for each. Once in a test case.
inline const engine& each_engine() {
  const auto& which = engines()[GENERATE(range(std::size_t{0}, engines().size()))];
  UNSCOPED_INFO("on " << which.name);
  return which;
}

/// Lasts longer than what is opened on it.
struct made_store {
  std::unique_ptr<fresh_store> fresh;
};

/// A new store of each engine in turn, open.
struct conforming_store : made_store, all_roles {
  explicit conforming_store(const engine& on = each_engine())
      : made_store{on.make()}, all_roles{fresh->open()} {}

  base::expected<std::shared_ptr<database>> open() const { return fresh->open(); }
};

/// Everything that history has of lobbies of the games 1 and 2: game, id, start, stop and what is
/// said of the kind, a line each in the order of their ids.
std::vector<std::string> stored_lobbies(lobby_history& in);

/// Likewise, with `lobby_catalog`.
struct store_for_lobbies : conforming_store {
  explicit store_for_lobbies(const engine& on = each_engine()) : conforming_store{on} {
    had(catalog->import_document(lobby_catalog()));
  }

  std::vector<std::string> lobbies() const { return stored_lobbies(*history); }
  std::int64_t revision_of(std::uint32_t game) const {
    return store::revision_of(*feed, game_subject::lobbies, game);
  }
  lobby_merge merge(const lobby_list& list) const { return merge_all(*sink, list); }
};

} // namespace matchcloud::store
