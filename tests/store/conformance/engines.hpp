#pragma once

#include "store/secrets/secret_store.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/store/store_fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A new, empty store that nobody else uses.
class fresh_store {
public:
  virtual ~fresh_store() = default;
  /// Opens the store as another process would.
  virtual base::expected<std::shared_ptr<database>> open() const = 0;
  /// Its named secrets, as another process would see them; null if the engine is not complete.
  virtual std::shared_ptr<secret_store> secrets() const = 0;
};

/// An engine that the conformance suite runs on. An engine is done when it passes the suite.
struct engine {
  std::string name;
  /// Whether it has tokens, the audit log, export records and secrets, too. A complete one can
  /// serve; the others are for tests.
  bool is_complete = true;
  std::function<std::unique_ptr<fresh_store>()> make;
};
/// The embedded engine and the simulation's; with MATCHCLOUD_TEST_POSTGRES in the environment
/// PostgreSQL instead. The complete ones come first.
const std::vector<engine>& engines();

/// Runs the test case once for each of the first `count` engines. Call it once per test case.
inline const engine& each_engine(std::size_t count = engines().size()) {
  const auto& which = engines()[GENERATE_COPY(range(std::size_t{0}, count))];
  UNSCOPED_INFO("on " << which.name);
  return which;
}
/// The same for those that are complete.
inline const engine& each_complete_engine() {
  return each_engine(std::ranges::count_if(engines(), &engine::is_complete));
}

/// Base class that makes the store outlive the sessions opened on it.
struct made_store {
  std::unique_ptr<fresh_store> fresh;
};

/// A new, open store of each engine in turn.
struct conforming_store : made_store, all_roles {
  explicit conforming_store(const engine& on = each_engine())
      : made_store{on.make()}, all_roles{fresh->open()} {}

  base::expected<std::shared_ptr<database>> open() const { return fresh->open(); }
};

/// Whether a feed tells of a change, within its delay.
inline bool tells(change_feed& feed) {
  return e2e::eventually([&] { return feed.changed() == true; });
}

/// Everything that the history holds about lobbies of games 1 and 2: game, id, start, stop and
/// attributes, one line per lobby in the order of ids.
std::vector<std::string> stored_lobbies(lobby_history& in);

/// A new, open store of each engine in turn, with `lobby_catalog` imported.
struct store_for_lobbies : conforming_store {
  explicit store_for_lobbies(const engine& on = each_engine()) : conforming_store{on} {
    had(catalog->import_document(lobby_catalog()));
  }

  std::vector<std::string> lobbies() const { return stored_lobbies(*history); }
  std::int64_t revision_of(std::uint32_t game) const {
    return had(history->revisions(id_of(game))).lobbies;
  }
  lobby_merge merge(const lobby_list& list) const { return merge_all(*sink, list); }
};

} // namespace matchcloud::store
