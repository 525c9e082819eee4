#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/avatars/avatar.hpp"
#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_merge.hpp"
#include "store/moved_games.hpp"

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

  /// Merges lobbies from the front of `records` (`model::merge`; a lobby that is known with another
  /// kind is rejected) in one transaction of about 50 ms at most, on disk when this returns. Call
  /// it again with the rest. Kinds are numbers of `kinds`.
  virtual base::expected<lobby_merge> merge_lobbies(std::span<const model::lobby_record> records,
                                                    const model::lobby_kind_table& kinds) = 0;
  /// What merging each of all `records` by itself would do now. Writes nothing.
  virtual base::expected<lobby_merge> check_lobbies(std::span<const model::lobby_record> records,
                                                    const model::lobby_kind_table& kinds) = 0;
  /// What there is to know of all `kinds`, in their order.
  virtual base::expected<std::vector<lobby_kind_finding>>
  check_lobby_kinds(const model::lobby_kind_table& kinds) = 0;
  /// What an export of a game's history that begins now would be of.
  virtual base::expected<history_revisions> read_history_revisions(const model::uuid& game_id) = 0;
  /// Reads the lobbies of a game that were alive in a span, of one snapshot. Memory does not grow
  /// with their number, cost grows with what is found. Fails with `store_failed`, or with
  /// `cancelled` where `stop` said so.
  virtual base::expected<void> read_lobby_history(const model::export_query& query,
                                                  const base::clock& clock,
                                                  const history_reader& to) = 0;
  /// Whether there is any lobby.
  virtual base::expected<bool> has_lobbies() = 0;

  /// Bytes in the file of the write-ahead log.
  virtual std::uint64_t wal_bytes() = 0;
  /// Empties the write-ahead log into the database; false where other connections kept it from
  /// that for `checkpoint_wait`.
  virtual base::expected<bool> checkpoint() = 0;
};

/// How long `checkpoint` waits for others.
inline constexpr std::chrono::milliseconds checkpoint_wait{500};

/// How a connection uses memory and the log.
enum class workload : std::uint8_t {
  /// SQLite's own ways: a page cache of 2 MB, a log of 4 MB.
  serving,
  /// For many rows: a page cache of `bulk_cache_bytes`, a log of `bulk_log_bytes` before it is
  /// moved into the database, between transactions.
  bulk,
};
inline constexpr std::int64_t bulk_cache_bytes = 64LL * 1024 * 1024;
inline constexpr std::int64_t bulk_log_bytes = 128LL * 1024 * 1024;

struct sqlite_settings {
  /// How long a change waits for another connection's before it fails.
  std::chrono::milliseconds patience = std::chrono::minutes{1};
  workload use = workload::serving;
};

/// Whether a data directory has a store; where it cannot be seen, it has none.
bool has_store(const std::string& data_dir);

/// Opens (creates, migrates) the store of a data directory. Fails with `store_newer`, `store_full`
/// or `store_failed`; a store from a newer version is not touched.
base::expected<std::unique_ptr<store>> open_sqlite(const std::string& data_dir,
                                                   const sqlite_settings& settings = {});

} // namespace matchcloud::store
