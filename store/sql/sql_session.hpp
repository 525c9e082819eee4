#pragma once

#include "store/session.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/sql.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// The roles that all SQL engines implement with the same statements: catalog, avatars
/// (sql_avatars.cpp), access (sql_access.cpp), exports (sql_exports.cpp), retention
/// (sql_retention.cpp), erasure (sql_erasure.cpp), latencies (sql_latencies.cpp), replicas and
/// revisions. An engine adds the roles where speed depends on it: lobbies and their history.
class sql_session : public session {
public:
  /// `on` must outlive the session's use.
  explicit sql_session(sql_connection& on) : on_{&on} {}

  // -- catalog_store ----------------------------------------------------------

  base::expected<std::int64_t> revision() override;
  base::expected<model::catalog> load() override;
  base::expected<import_summary> import_document(const model::catalog_document& doc) override;
  base::expected<void> remove(const model::element_key& key) override;

  // -- avatar_store -----------------------------------------------------------

  using lobby_history::read;
  base::expected<std::int64_t> read(const model::uuid& game_id,
                                    const std::function<bool(const model::avatar&)>& take) override;
  base::expected<std::vector<put_outcome>> put(std::span<const model::avatar> avatars) override;
  base::expected<void> read_images(const take_image& take) override;
  using lobby_sink::check;
  base::expected<std::vector<put_outcome>> check(std::span<const model::avatar> avatars) override;

  // -- lobby_sink, lobby_history, change_feed ---------------------------------

  void merge_together(std::span<merge_part> parts) override;
  base::expected<bool> has_any() override;
  base::expected<history_revisions> revisions(const model::uuid& game_id) override;
  base::expected<std::optional<found_lobby>> find_lobby(const model::uuid& game_id,
                                                        const model::uuid& lobby_id) override;
  base::expected<moved_games> moved_games_since(std::int64_t known) override;

  // -- access_store -----------------------------------------------------------

  base::expected<std::int64_t> tokens_revision() override;
  base::expected<model::token_snapshot> load_tokens() override;
  base::expected<void> create_token(const model::access_token& made) override;
  base::expected<model::access_token> rotate_token(const model::uuid& token_id,
                                                   const model::token_digest& digest,
                                                   std::int64_t former_until_ms,
                                                   std::int64_t now_ms) override;
  base::expected<model::access_token> revoke_token(const model::uuid& token_id,
                                                   std::int64_t now_ms) override;
  base::expected<void> note_uses(std::span<const token_use> uses) override;
  base::expected<void> record(const model::audit_change& what) override;
  base::expected<model::audit_page> read_audit(const model::audit_query& query) override;
  base::expected<std::size_t> expire_audit(std::int64_t before_ms) override;
  base::expected<std::size_t> expire_tokens(std::int64_t before_ms) override;

  // -- export_records ---------------------------------------------------------

  base::expected<export_claimed> claim_export(const export_claim& claim) override;
  base::expected<bool> renew_export(const export_record& mine,
                                    std::chrono::milliseconds lease) override;
  base::expected<bool> complete_export(const export_record& whole) override;
  base::expected<query_exports> exports_of(const model::export_query& query) override;
  base::expected<std::optional<export_record>> find_export(const model::uuid& export_id) override;
  base::expected<void> forget_export(const export_record& which) override;
  base::expected<std::vector<export_record>>
  exports_over(std::int64_t now_ts, std::int64_t begun_before_ts, std::size_t limit) override;
  base::expected<std::vector<export_record>> exports_of_game(const model::uuid& game_id,
                                                             std::size_t limit) override;
  base::expected<void> read_exports(const std::function<bool(const export_record&)>& take) override;
  base::expected<export_usages> export_usage_now() override;

  // -- replica_registry -------------------------------------------------------

  base::expected<std::uint32_t> renew_replica(const model::uuid& replica_id,
                                              std::chrono::milliseconds lease) override;
  base::expected<void> tell_replicas(const model::uuid& replica_id,
                                     const std::string& summary) override;
  base::expected<std::vector<replica_told>> hear_replicas() override;
  base::expected<std::int64_t> store_time() override;

  // -- retention_store --------------------------------------------------------

  base::expected<bool> take_housekeeping(const model::uuid& owner,
                                         std::chrono::milliseconds lease) override;
  base::expected<void> leave_housekeeping(const model::uuid& owner) override;
  base::expected<std::int64_t> last_expiry() override;
  base::expected<void> note_expiry(std::int64_t now_ms) override;
  base::expected<std::optional<std::int64_t>> newest_lobby(const model::uuid& game_id) override;
  base::expected<std::vector<kept_history>> kept_histories() override;
  base::expected<std::vector<model::lobby>> running_lobbies(const model::uuid& game_id,
                                                            std::int64_t started_ts,
                                                            const lobby_place& after,
                                                            std::size_t limit) override;
  base::expected<std::vector<lobby_place>> expired_lobbies(const model::uuid& game_id,
                                                           std::int64_t horizon_ts,
                                                           const lobby_place& after,
                                                           std::size_t limit) override;
  base::expected<std::uint64_t> count_expired(const model::uuid& game_id, std::int64_t horizon_ts,
                                              std::uint64_t limit) override;
  base::expected<std::optional<std::size_t>>
  expire_lobbies(const model::uuid& game_id, std::optional<std::int64_t> retention_days,
                 std::int64_t horizon_ts, std::span<const lobby_place> lobbies) override;

  // -- erasure_store ----------------------------------------------------------

  base::expected<erasure> begin_erasure(const model::uuid& game_id, std::int64_t now_ms) override;
  base::expected<std::vector<erasure>> erasures() override;
  base::expected<bool> is_erased(const model::uuid& game_id) override;
  base::expected<void> erase_audit_names(const model::uuid& game_id, audit_names& names,
                                         std::size_t limit) override;
  base::expected<std::size_t> erase_tokens(const model::uuid& game_id) override;
  base::expected<std::vector<model::avatar>>
  avatars_after(const model::uuid& game_id, const model::uuid& after, std::size_t limit) override;
  base::expected<std::size_t> erase_avatars(const model::uuid& game_id,
                                            std::span<const model::uuid> upload_ids) override;
  base::expected<std::vector<lobby_place>>
  lobbies_after(const model::uuid& game_id, const lobby_place& after, std::size_t limit) override;
  base::expected<std::size_t> erase_lobbies(const model::uuid& game_id,
                                            std::span<const lobby_place> lobbies) override;
  base::expected<void> note_erased_exports(const model::uuid& game_id, std::size_t count) override;
  base::expected<bool> finish_erasure(const model::uuid& game_id, std::int64_t now_ms) override;
  base::expected<void> remove_avatar(const model::uuid& game_id,
                                     const model::uuid& upload_id) override;
  base::expected<std::vector<image_key>>
  removed_images(std::size_t limit, std::chrono::milliseconds replaced_for) override;
  base::expected<void> forget_removed_image(const image_key& key) override;
  base::expected<bool> has_image(const image_key& key,
                                 std::chrono::milliseconds replaced_for) override;

  // -- latency_store ----------------------------------------------------------

  base::expected<void> add_latencies(std::span<const model::learned_entry> learned) override;
  base::expected<latency_page> read_latencies(const latency_position& after,
                                              std::size_t limit) override;
  base::expected<base::siphash_key> latency_key() override;
  base::expected<std::size_t> expire_latencies(std::uint32_t before_minute,
                                               std::size_t most) override;

  void attribute(model::audit_run_ptr run) override { audit_.attribute(std::move(run)); }

protected:
  /// Records in a transaction that it changes the lobbies of a game.
  virtual void move_lobbies(const model::uuid& game_id) = 0;
  audit_table& audit() noexcept { return audit_; }

private:
  // These return what `work` returns, or the failure.

  /// Runs `work`, which reads with a single statement.
  template <class Work>
  auto look(std::string_view operation, Work work) {
    return base::attempt([&] {
      on_->begin_reading(operation);
      return work();
    });
  }
  /// Runs `work`, which reads one snapshot.
  template <class Work>
  auto read_at_once(std::string_view operation, Work work) {
    return base::attempt([&] {
      const auto snapshot = sql_transaction::read(*on_, std::string{operation});
      return work();
    });
  }
  /// Runs `work`, which changes a subject, or nothing that has a revision. Entries of the audit log
  /// are written by `work`.
  template <class Work>
  auto change(std::optional<sql_subject> subject, std::string_view operation, Work work) {
    return base::attempt([&] {
      auto changes = sql_transaction::write(*on_, subject, std::string{operation});
      audit_.begin();
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        audit_.commit(changes);
      } else {
        auto made = work();
        audit_.commit(changes);
        return made;
      }
    });
  }

  /// Removes lobbies of a game that stopped at or before `horizon_ts`, or all if it is empty. Call
  /// this in a write transaction.
  std::size_t delete_lobbies(const model::uuid& game_id, std::optional<std::int64_t> horizon_ts,
                             std::span<const lobby_place> lobbies);
  /// Changes a token by `edit`, which returns whether there is anything to change.
  base::expected<model::access_token>
  change_token(std::string_view operation, const model::uuid& token_id, std::int64_t now_ms,
               const std::function<bool(model::access_token&)>& edit);
  base::expected<std::size_t> expire(model::audit_action action, const char* what,
                                     std::int64_t before_ms,
                                     std::size_t (*remove)(sql_connection&, std::int64_t));

  sql_connection* on_;
  audit_table audit_;
};

/// The revisions that an export of a game depends on. Call this in a transaction, because it runs
/// two queries.
history_revisions select_history_revisions(sql_connection& on, const model::uuid& game_id);

/// The first steps of `lobby_history::read`: passes the snapshot to `to`, and throws `cancelled` if
/// that stops the reading. Call this at the beginning of the transaction that reads
/// the game's history: an engine takes its snapshot at the first query, so everything committed
/// before is included.
void begin_history(sql_connection& on, const model::uuid& game_id, const base::clock& clock,
                   const history_reader& to);

} // namespace matchcloud::store
