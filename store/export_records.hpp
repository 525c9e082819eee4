#pragma once

#include "base/expected.hpp"
#include "store/export_facts.hpp"
#include "store/lobby_history.hpp"
#include "store/object_name.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// An export whose CSV is an object, or will be.
struct export_record {
  export_facts facts;
  /// Counts from 1; who takes the export over uses the next one. It is in the object's name.
  std::int64_t generation = 1;
  /// The process that writes it or wrote it.
  std::optional<model::uuid> owner = {};
  /// The time, in milliseconds since 1970 by the store's clock, until which nobody takes it over.
  std::int64_t leased_until_ts = 0;
  /// What is read for it; empty before reading has begun.
  std::optional<history_snapshot> snapshot = {};
  /// Whether the object is whole. What follows is known only then.
  bool is_complete = false;
  std::uint64_t size_bytes = 0;
  /// 64 lower-case hexadecimal digits.
  std::string sha256 = {};
  /// Whether some of its lobbies were running, so that the same export may differ later.
  bool has_running = false;

  friend bool operator==(const export_record&, const export_record&) = default;
};

/// The folder that holds all exports.
object_name exports_folder();
/// The name of an export as an object: `exports/EXPORT_ID/GENERATION`.
object_name object_of(const export_record& record);
/// The export and the generation that an object is named after; nothing if it is named otherwise.
/// Nothing else of the record is set.
std::optional<export_record> read_export_name(const object_name& name);

/// Whether a finished export is as good for `query` as a new one, for links that are valid until
/// `linked_until_ts` (milliseconds since 1970): it has everything that was there at `needs`.
bool is_as_new(const export_facts& facts, const history_snapshot& snapshot, bool has_running,
               const history_revisions& needs, std::int64_t linked_until_ts) noexcept;

/// The number and the bytes of exports.
struct export_usage {
  std::size_t count = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const export_usage&, const export_usage&) = default;
};
/// Those of each game that has any.
using export_usages = std::map<model::uuid, export_usage>;

/// The limit on the records of one query that are looked at; older ones are not used again.
inline constexpr std::size_t records_of_query_limit = 16;

/// The exports of one query at one moment.
struct query_exports {
  /// Milliseconds since 1970, by the store's clock.
  std::int64_t now_ts = 0;
  /// What an export that begins to read now covers.
  history_revisions revisions;
  /// The newest first, by what the store last heard of them.
  std::vector<export_record> records;

  /// The first export that is as new as one that begins now, or null.
  const export_record* find_whole(std::int64_t linked_until_ts) const;
  /// The first export that somebody writes now and that covers what one that begins now would, as
  /// far as its record tells, or null.
  const export_record* find_running() const;
  /// The first export that somebody wrote until they died or stopped, or null.
  const export_record* find_abandoned() const;
};

/// A process that is about to write an export.
struct export_claim {
  model::export_query query;
  /// For a new one.
  model::uuid export_id;
  model::uuid owner;
  /// How long nobody else takes the export over, unless its owner renews that.
  std::chrono::milliseconds lease{0};
  /// In milliseconds since 1970, as `linked_until_ts`.
  std::int64_t begun_ts = 0;
  /// How long links that are issued now are valid.
  std::int64_t linked_until_ts = 0;
};

/// What became of an `export_claim`.
struct export_claimed {
  /// Whether it is the claimant who writes the export. Otherwise it is whole already, or somebody
  /// else writes it.
  bool is_own = false;
  export_record record;
  /// What an export that begins to read now covers.
  history_revisions revisions;
};

/// The role of knowing which exports there are as objects, and who writes those that are not whole:
/// an object counts only once its record is complete. It keeps no audit log. See `session` for what
/// the calls of all roles have in common.
class export_records {
public:
  virtual ~export_records() = default;

  /// Finds an export that serves `claim` (`find_whole`, `find_running`), or has the claimant write
  /// it: one that was abandoned, with the next generation, or a new one. Of processes that claim
  /// the same at the same time, one is to write it.
  virtual base::expected<export_claimed> claim_export(const export_claim& claim) = 0;
  /// Says that the export with this id and generation is still being written, and of what. Returns
  /// false if there is none that is incomplete: somebody else has taken it over, or given it up.
  virtual base::expected<bool> renew_export(const export_record& mine,
                                            std::chrono::milliseconds lease) = 0;
  /// Completes the record with this id and generation. Returns false if there is none that is
  /// incomplete.
  virtual base::expected<bool> complete_export(const export_record& whole) = 0;
  /// Up to `records_of_query_limit` records of a query.
  virtual base::expected<query_exports> exports_of(const model::export_query& query) = 0;
  /// The complete record with this id, or nothing if there is none.
  virtual base::expected<std::optional<export_record>>
  find_export(const model::uuid& export_id) = 0;
  /// Removes the record with this id and generation, if there is one.
  virtual base::expected<void> forget_export(const export_record& which) = 0;
  /// Up to `limit` records that are complete and expire at or before `now_ts`, or incomplete and
  /// begun before `begun_before_ts`.
  virtual base::expected<std::vector<export_record>>
  exports_over(std::int64_t now_ts, std::int64_t begun_before_ts, std::size_t limit) = 0;
  /// Up to `limit` records of a game, complete or not.
  virtual base::expected<std::vector<export_record>> exports_of_game(const model::uuid& game_id,
                                                                     std::size_t limit) = 0;
  /// Calls `take` for each record until it returns false.
  virtual base::expected<void>
  read_exports(const std::function<bool(const export_record&)>& take) = 0;
  /// The complete exports.
  virtual base::expected<export_usages> export_usage_now() = 0;
};

} // namespace matchcloud::store
