#pragma once

#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/text/uuid.hpp"
#include "store/lobby_history.hpp"
#include "store/object_name.hpp"
#include "store/sql_table.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// Facts about a finished export.
struct export_facts {
  model::uuid export_id;
  model::export_query query;
  /// The time, in milliseconds since 1970, when the last of its links expires; afterwards any
  /// process may remove the export.
  std::int64_t keep_until_ts = 0;

  friend bool operator==(const export_facts&, const export_facts&) = default;
};

/// An export whose CSV is an object, or will be.
struct export_record {
  export_facts facts;
  /// Counts from 1; a process that takes the export over uses the next one. In the object's name.
  std::int64_t generation = 1;
  /// The process that writes it or wrote it.
  std::optional<model::uuid> owner = {};
  /// The time, in milliseconds since 1970 by the store's clock, until which nobody takes it over.
  std::int64_t leased_until_ts = 0;
  /// The snapshot that it reads; empty until reading begins.
  std::optional<history_snapshot> snapshot = {};
  /// Whether the object is whole. The members below are known only then.
  bool is_complete = false;
  std::uint64_t size_bytes = 0;
  /// 64 lower-case hexadecimal digits; empty if a version without records made the export.
  std::string sha256 = {};
  /// Whether some of its lobbies were running, so that the same export may differ later.
  bool has_running = false;

  friend bool operator==(const export_record&, const export_record&) = default;
};

/// The folder that holds all exports.
object_name exports_folder();
/// The name of an export as an object: `exports/EXPORT_ID/GENERATION`.
object_name object_of(const export_record& record);
/// The name of its compressed file, `exports/EXPORT_ID/GENERATION.gz`; only files are compressed.
object_name gzip_of(const export_record& record);
/// The export and the generation that an object, or a compressed file, is named after; nothing if
/// it is named otherwise. Nothing else of the record is set.
std::optional<export_record> read_export_name(const object_name& name);

/// Whether a finished export serves as well as a new one, for links that are valid until
/// `linked_until_ts` (milliseconds since 1970): it has everything that was there at `needs`.
bool is_as_new(const export_facts& facts, const history_snapshot& snapshot, bool has_running,
               const history_revisions& needs, std::int64_t linked_until_ts) noexcept;

/// The number and the bytes of exports.
struct export_usage {
  std::size_t count = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const export_usage&, const export_usage&) = default;
};
/// The usage of each game that has exports.
using export_usages = std::map<model::uuid, export_usage>;

/// How many records of a query are considered, newest first; older ones are not reused.
inline constexpr std::size_t records_of_query_limit = 16;

/// The exports of one query at one moment.
struct query_exports {
  /// Milliseconds since 1970, by the store's clock.
  std::int64_t now_ts = 0;
  /// What an export that begins to read now covers.
  history_revisions revisions;
  /// By the time of their last renewal, the newest first.
  std::vector<export_record> records;

  /// The first export that is as new as one that begins now, or null.
  const export_record* find_whole(std::int64_t linked_until_ts) const;
  /// The first export that a process is writing now and that covers, by its record, what an export
  /// begun now would cover, or null.
  const export_record* find_running() const;
  /// The first export whose process died or stopped before it was complete, or null.
  const export_record* find_abandoned() const;
};

/// A process that is about to write an export.
struct export_claim {
  model::export_query query;
  /// For a new one.
  model::uuid export_id;
  model::uuid owner;
  /// How long no other process takes the export over; the owner can renew this.
  std::chrono::milliseconds lease{0};
  /// In milliseconds since 1970, as `linked_until_ts`.
  std::int64_t begun_ts = 0;
  /// How long links that are issued now are valid.
  std::int64_t linked_until_ts = 0;
};

/// The outcome of an `export_claim`.
struct export_claimed {
  /// Whether the claimant writes the export. Otherwise it is complete already, or another process
  /// is writing it.
  bool is_own = false;
  export_record record;
  /// What an export that begins to read now covers.
  history_revisions revisions;
};

/// The role of tracking exports that are stored as objects, and which process writes each
/// incomplete one. An object counts only once its record is complete. It keeps no audit log. See
/// `session` for what the calls of all roles have in common.
class export_records : public sql_table {
public:
  using sql_table::sql_table;

  /// Finds an export that serves `claim` (`find_whole`, `find_running`), or assigns one to the
  /// claimant: an abandoned one, with the next generation, or a new one. If several processes claim
  /// the same export at once, exactly one writes it.
  base::expected<export_claimed> claim_export(const export_claim& claim);
  /// Renews the lease of the incomplete export with this id and generation, and notes its snapshot.
  /// Returns false if there is none: another process has taken it over, or given it up.
  base::expected<bool> renew_export(const export_record& mine, std::chrono::milliseconds lease);
  /// Completes the record with this id and generation. Returns false if no incomplete record has
  /// them.
  base::expected<bool> complete_export(const export_record& whole);
  /// Adds a complete record of generation 1 without a digest, and without a snapshot, so that no
  /// request reuses the export. Does nothing if there is a record with this id.
  base::expected<void> adopt_export(const export_record& whole);
  /// Up to `records_of_query_limit` records of a query.
  base::expected<query_exports> exports_of(const model::export_query& query);
  /// The complete record with this id, or nothing if there is none.
  base::expected<std::optional<export_record>> find_export(const model::uuid& export_id);
  /// Removes the record with this id and generation, if there is one.
  base::expected<void> forget_export(const export_record& which);
  /// Up to `limit` records that are complete and expire at or before `now_ts`, or incomplete and
  /// begun before `begun_before_ts`.
  base::expected<std::vector<export_record>>
  exports_over(std::int64_t now_ts, std::int64_t begun_before_ts, std::size_t limit);
  /// Up to `limit` records of a game, complete or not.
  base::expected<std::vector<export_record>> exports_of_game(const model::uuid& game_id,
                                                             std::size_t limit);
  /// Calls `take` for each record until it returns false.
  base::expected<void> read_exports(const std::function<bool(const export_record&)>& take);
  /// The complete exports.
  base::expected<export_usages> export_usage_now();
};

} // namespace matchcloud::store
