#pragma once

#include "base/expected.hpp"
#include "model/avatars/avatar.hpp"
#include "model/json/record.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/uuid.hpp"
#include "store/object_name.hpp"
#include "store/sql_table.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::store {

/// The position of a lobby among its game's lobbies, which are in this order.
struct lobby_place {
  /// The class of a running lobby is -1, see `model::duration_class`.
  int duration_class = -2;
  std::int64_t start_ts = 0;
  model::uuid lobby_id = {};
};

/// How long a game's history is kept.
struct kept_history {
  model::uuid game_id;
  /// Days after a lobby's stop. Nothing: the configured time; 0: for ever.
  std::optional<std::int64_t> retention_days = {};
  /// All lobbies alive at this time or later are stored, unless they were reported late. In
  /// milliseconds since 1970; 0: none has expired.
  std::int64_t complete_from_ts = 0;

  friend bool operator==(const kept_history&, const kept_history&) = default;
};

/// The role of removing expired data. See `session` for what the calls of all roles have in common.
/// Times are milliseconds since 1970.
class retention_store : public sql_table {
public:
  using sql_table::sql_table;

  /// Makes `owner` the store's housekeeper, for `lease` from now by the store's clock. Returns
  /// false if another process is.
  base::expected<bool> take_housekeeping(const model::uuid& owner, std::chrono::milliseconds lease);
  /// Ends the housekeeping of `owner`, so that another process need not wait for the lease.
  base::expected<void> leave_housekeeping(const model::uuid& owner);

  /// When `note_expiry` was last called, or 0.
  base::expected<std::int64_t> last_expiry();
  /// Records that a run of expiry was complete.
  base::expected<void> note_expiry(std::int64_t now_ms);
  /// The latest start of a game's lobbies that have stopped; nothing: it has none.
  base::expected<std::optional<std::int64_t>> newest_lobby(const model::uuid& game_id);

  /// All games but those that are erased, removed ones included, ordered by id.
  base::expected<std::vector<kept_history>> kept_histories();
  /// Lobbies of a game that run and started at or before `started_ts`, in order, at most `limit`:
  /// fewer at the end. They follow `after`, which is a position among those that run.
  base::expected<std::vector<model::lobby>> running_lobbies(const model::uuid& game_id,
                                                            std::int64_t started_ts,
                                                            const lobby_place& after,
                                                            std::size_t limit);
  /// Lobbies of a game that stopped at or before `horizon_ts` and follow `after`, in order, at most
  /// `limit`: fewer at the end.
  base::expected<std::vector<lobby_place>> expired_lobbies(const model::uuid& game_id,
                                                           std::int64_t horizon_ts,
                                                           const lobby_place& after,
                                                           std::size_t limit);
  /// How many lobbies of a game stopped at or before `horizon_ts`, counted up to `limit`.
  base::expected<std::uint64_t> count_expired(const model::uuid& game_id, std::int64_t horizon_ts,
                                              std::uint64_t limit);
  /// Removes the `lobbies` whose stop is still at or before `horizon_ts`, in one transaction. From
  /// its commit on, the game's history is complete from `horizon_ts`. They must be in order; others
  /// between them may be removed too. Returns how many were removed. Lobbies that another session
  /// is changing are left for a later call. Removes nothing and returns nothing if the game's own
  /// `retention_days` are no longer these, from which the horizon was computed.
  base::expected<std::optional<std::size_t>>
  expire_lobbies(const model::uuid& game_id, std::optional<std::int64_t> retention_days,
                 std::int64_t horizon_ts, std::span<const lobby_place> lobbies);
};

/// The erasure of a game and everything it has. It is remembered for ever: the ids of the game and
/// its namespaces stay, without their names, and are never reused.
struct erasure {
  model::uuid game_id;
  /// Milliseconds since 1970, as `finished_ms`.
  std::int64_t begun_ms = 0;
  /// What has been removed so far.
  std::uint64_t lobbies = 0;
  std::uint64_t avatars = 0;
  std::uint64_t exports = 0;
  std::uint64_t tokens = 0;
  /// Nothing while something is left.
  std::optional<std::int64_t> finished_ms = {};

  friend bool operator==(const erasure&, const erasure&) = default;
};

constexpr auto describe(const erasure*) {
  using namespace model::types;
  return record{"Erasure",
                field{"game_id", uuid, "The game's id.", &erasure::game_id},
                field{"begun", moment, "When it began.",
                      [](const erasure& one) { return model::format_timestamp(one.begun_ms); }},
                field{"finished", moment_or_null, "When it ended; null while something is left.",
                      [](const erasure& one) { return model::format_timestamp(one.finished_ms); }},
                field{"lobbies", count, "Lobbies removed so far.", &erasure::lobbies},
                field{"avatars", count, "Avatars removed so far.", &erasure::avatars},
                field{"exports", count, "Exports removed so far.", &erasure::exports},
                field{"tokens", count, "Tokens revoked so far.", &erasure::tokens}};
}

/// Whose names `erase_audit_names` looks for, and how far it has come.
struct audit_names {
  /// Ids of the game, its namespaces and their tokens. Those that the log names are added.
  std::set<std::string> ids = {};
  /// The entry that was looked at last.
  std::int64_t after = 0;
  bool is_done = false;
};

/// The role of erasing games and avatars. See `session` for what the calls of all roles have in
/// common. Times are milliseconds since 1970.
class erasure_store : public sql_table {
public:
  using sql_table::sql_table;

  /// Begins to erase a game, removed or not. From the commit on, it is gone from the catalog, its
  /// exports and images are not opened, and nothing new is accepted for it. If the erasure has
  /// begun already, returns its current state. Fails with `game_not_found`.
  base::expected<erasure> begin_erasure(const model::uuid& game_id, std::int64_t now_ms);
  /// All erasures, the newest first.
  base::expected<std::vector<erasure>> erasures();

  // -- the steps, each of which may be repeated -------------------------------

  /// Looks at the next entries of the audit log, the oldest first and at most `limit`. In those on
  /// the game, its namespaces, tokens and avatars it removes what was changed, and the name of a
  /// token that wrote an entry. Ids, times and actions stay, and the entry `game.erase` as it is.
  base::expected<void> erase_audit_names(const model::uuid& game_id, audit_names& names,
                                         std::size_t limit);
  /// Removes the tokens of an erased game and of its namespaces. Returns how many were removed.
  base::expected<std::size_t> erase_tokens(const model::uuid& game_id);
  /// The first avatars of a game whose ids follow `after`, at most `limit`, in the order of ids.
  base::expected<std::vector<model::avatar>>
  avatars_after(const model::uuid& game_id, const model::uuid& after, std::size_t limit);
  /// Removes avatars of an erased game. Returns how many were removed.
  base::expected<std::size_t> erase_avatars(const model::uuid& game_id,
                                            std::span<const model::uuid> upload_ids);
  /// Lobbies of a game that follow `after`, in order, at most `limit`: fewer at the end.
  base::expected<std::vector<lobby_place>>
  lobbies_after(const model::uuid& game_id, const lobby_place& after, std::size_t limit);
  /// Removes lobbies of an erased game. Returns how many were removed; lobbies that another session
  /// is changing are left for a later call.
  base::expected<std::size_t> erase_lobbies(const model::uuid& game_id,
                                            std::span<const lobby_place> lobbies);
  /// Adds to the exports of the game that are gone.
  base::expected<void> note_erased_exports(const model::uuid& game_id, std::size_t count);
  /// Ends an erasure and removes the names, if nothing of the game is left and nothing can be
  /// added. Returns whether it has ended.
  base::expected<bool> finish_erasure(const model::uuid& game_id, std::int64_t now_ms);

  // -- one avatar -------------------------------------------------------------

  /// Removes an avatar. Its image is among `removed_images` from then on. Fails with
  /// `avatar_not_found`.
  base::expected<void> remove_avatar(const model::uuid& game_id, const model::uuid& upload_id);
  /// Images that may still exist, though their avatars were removed or got another image longer
  /// than `replaced_for` ago; at most `limit`.
  base::expected<std::vector<image_key>> removed_images(std::size_t limit,
                                                        std::chrono::milliseconds replaced_for);
  /// Records that a removed image is gone.
  base::expected<void> forget_removed_image(const image_key& key);
};

} // namespace matchcloud::store
