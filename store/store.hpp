#pragma once

#include "base/expected.hpp"
#include "model/avatar.hpp"
#include "model/catalog.hpp"
#include "model/catalog_document.hpp"
#include "model/catalog_element.hpp"
#include "store/game_revisions.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::store {

/// What a catalog import did: how many elements the document named, and whether that was news.
struct import_summary {
  std::size_t regions = 0;
  std::size_t tiers = 0;
  std::size_t games = 0;
  std::size_t namespaces = 0;
  /// Of these, how many were not there (or removed) before.
  std::size_t added = 0;
  /// False where everything was there already: the revision stays.
  bool changed = false;
};

/// What became of a record that was put.
enum class put_outcome : std::uint8_t {
  added,
  changed,
  /// It was there already, exactly like this: the revision stays.
  unchanged,
  /// Its game is not in the store; nothing was written for it.
  game_unknown,
  /// Its id belongs to another game; nothing was written for it.
  of_other_game,
};

/// The database behind one interface. Calls block: they run on the blocking pool or in a command,
/// never on an event loop. One thread at a time per instance; several instances, also of several
/// processes, share a data directory.
class store {
public:
  virtual ~store() = default;

  /// Whether another connection (of this or any process) committed since the last call; true on the
  /// first call. Cheap: reads one counter.
  virtual base::expected<bool> poll_changed() = 0;
  /// Moves with each transaction that changes the catalog, 0 for a new store.
  virtual base::expected<std::int64_t> catalog_revision() = 0;
  /// The whole catalog, of one transaction.
  virtual base::expected<model::catalog> load_catalog() = 0;
  /// Upserts by id, in one transaction that is on disk when this returns; what was removed comes
  /// back. Fails with `import_invalid` where `merge` does and where a removed namespace would come
  /// back to another game, with `store_failed` otherwise; then nothing is written.
  virtual base::expected<import_summary> import_catalog(const model::catalog_document& doc) = 0;
  /// Hides an element from `load_catalog`, in one transaction that is on disk when this returns;
  /// history keeps it. A namespace gives its domains up. Fails like `without`, or `store_failed`.
  virtual base::expected<void> remove(const model::element_key& key) = 0;

  /// Games of which avatars or lobbies moved beyond the revision `known`; below 0: any may have.
  virtual base::expected<moved_games> moved_games_since(game_subject subject,
                                                        std::int64_t known) = 0;

  /// Calls `take` for each avatar of a game, newest first, then by upload id, until it returns
  /// false. Returns the revision of what it read: one transaction.
  virtual base::expected<std::int64_t>
  read_avatars(const model::uuid& game_id,
               const std::function<bool(const model::avatar&)>& take) = 0;
  /// Adds or replaces avatars by upload id, in one transaction that is on disk when this returns;
  /// a few hundred at once keep it short. Outcomes stand in the order of `avatars`.
  virtual base::expected<std::vector<put_outcome>>
  put_avatars(std::span<const model::avatar> avatars) = 0;
  /// What `put_avatars` would do now. Writes nothing.
  virtual base::expected<std::vector<put_outcome>>
  check_avatars(std::span<const model::avatar> avatars) = 0;
};

/// Opens (creates, migrates) the store of a data directory. Fails with `store_newer` or
/// `store_failed`; a store from a newer version is not touched. `patience`: how long a change waits
/// for another connection's before it fails.
base::expected<std::unique_ptr<store>>
open_sqlite(const std::string& data_dir,
            std::chrono::milliseconds patience = std::chrono::minutes{1});

} // namespace matchcloud::store
