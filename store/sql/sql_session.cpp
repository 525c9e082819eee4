#include "store/sql/sql_session.hpp"

#include "model/access/token_change.hpp"
#include "model/catalog/catalog_change.hpp"
#include "store/sql/avatar_table.hpp"
#include "store/sql/catalog_removal.hpp"
#include "store/sql/catalog_tables.hpp"
#include "store/sql/export_table.hpp"
#include "store/sql/game_revisions.hpp"
#include "store/sql/replica_table.hpp"
#include "store/sql/token_tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

/// The number of elements in a catalog.
std::size_t size_of(const model::catalog& of) noexcept {
  return of.regions.size() + of.tiers.size() + of.games.size() + of.namespaces.size();
}

/// Runs `perform` in a write transaction.
template <class Perform>
base::expected<void> change(sql_connection& on, std::optional<sql_subject> subject,
                            std::string operation, const audit_table& audit, Perform perform) {
  auto changes = sql_transaction::write(on, subject, std::move(operation));
  if (!changes) return tl::unexpected(changes.error());
  auto done = perform();
  return done ? audit.commit(*changes) : done;
}

/// Changes a token by `edit`, which returns whether there is anything to change.
template <class Edit>
base::expected<model::access_token>
change_token(sql_connection& on, std::string operation, const audit_table& audit,
             const model::uuid& token_id, std::int64_t now_ms, Edit edit) {
  base::expected<model::access_token> token;
  auto done =
      change(on, sql_subject::tokens, std::move(operation), audit, [&]() -> base::expected<void> {
        token = select_token(on, token_id);
        if (!token) return tl::unexpected(token.error());
        const auto before = *token;
        const auto edited = edit(*token);
        if (!edited) return tl::unexpected(edited.error());
        if (!*edited) return {};
        if (auto written = update_token(on, *token); !written) return written;
        return audit.write(on, model::describe_change(before, *token, now_ms));
      });
  if (!done) return tl::unexpected(done.error());
  return token;
}

/// The revisions that an export of a game depends on.
base::expected<history_revisions> select_history_revisions(sql_connection& on,
                                                           const model::uuid& game_id) {
  const auto lobbies = read_lobbies_revision(on, game_id);
  if (!lobbies) return tl::unexpected(lobbies.error());
  const auto catalog = read_catalog_revision(on);
  if (!catalog) return tl::unexpected(catalog.error());
  return history_revisions{*lobbies, *catalog};
}

/// The exports of a query, and what a new one would cover.
base::expected<query_exports> select_query_exports(sql_connection& on,
                                                   const model::export_query& query) {
  // Before the records: an export that becomes whole or begins to read meanwhile covers these.
  const auto revisions = select_history_revisions(on, query.game_id);
  if (!revisions) return tl::unexpected(revisions.error());
  auto found = select_exports_of(on, query);
  if (found) found->revisions = *revisions;
  return found;
}

/// How often a claim looks for an export to take over. Each look finds one that was abandoned
/// before, and only its owner can come in between.
constexpr int claim_attempts = 4;

/// What becomes of `claim`, given the exports that there are.
export_claimed claim_of(const query_exports& known, const export_claim& claim) {
  if (const auto* whole = known.find_whole(claim.linked_until_ts))
    return {false, *whole, known.revisions};
  if (const auto* running = known.find_running()) return {false, *running, known.revisions};
  export_claimed mine{true, {}, known.revisions};
  mine.record.facts = {claim.export_id, claim.query};
  if (const auto* abandoned = known.find_abandoned()) {
    mine.record.facts.export_id = abandoned->facts.export_id;
    mine.record.generation = abandoned->generation + 1;
  }
  mine.record.owner = claim.owner;
  mine.record.leased_until_ts = known.now_ts + claim.lease.count();
  return mine;
}

} // namespace

base::expected<void> begin_history(sql_connection& on, const model::uuid& game_id,
                                   const base::clock& clock, const history_reader& to) {
  history_snapshot snapshot;
  snapshot.taken_ts = clock.unix_ms();
  const auto revisions = select_history_revisions(on, game_id);
  if (!revisions) return tl::unexpected(revisions.error());
  snapshot.revisions = *revisions;
  if (to.begun) to.begun(snapshot);
  if (to.stop && to.stop()) return base::fail(base::errc::cancelled, "the export was given up");
  return {};
}

// -- catalog_store --------------------------------------------------------------

base::expected<std::int64_t> sql_session::revision() {
  return on_->begin_reading("read the catalog's revision").and_then([this] {
    return read_catalog_revision(*on_);
  });
}

base::expected<model::catalog> sql_session::load() {
  // Never committed, because nothing is written.
  const auto snapshot = sql_transaction::read(*on_, "begin reading the catalog");
  if (!snapshot) return tl::unexpected(snapshot.error());
  return read_catalog(*on_);
}

base::expected<import_summary> sql_session::import_document(const model::catalog_document& doc) {
  auto changes = sql_transaction::write(*on_, sql_subject::catalog, "import the catalog");
  if (!changes) return tl::unexpected(changes.error());
  const auto before = read_catalog(*on_);
  if (!before) return tl::unexpected(before.error());
  const auto after = model::merge(*before, doc);
  if (!after) return tl::unexpected(after.error());
  if (auto allowed = check_returning(*on_, doc); !allowed) return tl::unexpected(allowed.error());
  import_summary summary{doc.regions.size(),
                         doc.tiers.size(),
                         doc.games.size(),
                         doc.namespaces.size(),
                         size_of(*after) - size_of(*before),
                         *after != *before};
  if (!summary.changed) return summary;
  auto done = write_catalog(*on_, *before, *after);
  if (done) done = audit_.write(*on_, model::describe_import(*before, *after, doc));
  if (done) done = audit_.commit(*changes);
  if (!done) return tl::unexpected(done.error());
  return summary;
}

base::expected<void> sql_session::remove(const model::element_key& key) {
  return change(*on_, sql_subject::catalog, "change the catalog", audit_,
                [&]() -> base::expected<void> {
                  const auto before = read_catalog(*on_);
                  if (!before) return tl::unexpected(before.error());
                  const auto after = model::without(*before, key);
                  if (!after) return tl::unexpected(after.error());
                  auto done = hide_element(*on_, key);
                  if (done) done = write_catalog_revision(*on_, after->revision);
                  if (done) done = audit_.write(*on_, model::describe_removal(*before, key));
                  return done;
                });
}

// -- avatar_store ---------------------------------------------------------------

base::expected<std::int64_t>
sql_session::read(const model::uuid& game_id,
                  const std::function<bool(const model::avatar&)>& take) {
  const auto snapshot = sql_transaction::read(*on_, "begin reading avatars");
  if (!snapshot) return tl::unexpected(snapshot.error());
  return select_avatars(*on_, game_id, take);
}

base::expected<void> sql_session::read_images(const std::function<bool(const image_key&)>& take) {
  return on_->begin_reading("read the names of all images").and_then([&] {
    return select_images(*on_, take);
  });
}

base::expected<std::vector<put_outcome>> sql_session::put(std::span<const model::avatar> avatars) {
  auto changes = sql_transaction::write(*on_, sql_subject::avatars, "write avatars");
  if (!changes) return tl::unexpected(changes.error());
  auto outcomes = write_avatars(*on_, avatars);
  if (!outcomes) return outcomes;
  const auto is_change = [](put_outcome each) {
    return each == put_outcome::added || each == put_outcome::changed;
  };
  base::expected<void> done;
  if (std::any_of(outcomes->begin(), outcomes->end(), is_change))
    done = audit_.write(*on_, {"avatars.put", {}, {}, {}});
  if (done) done = audit_.commit(*changes);
  if (!done) return tl::unexpected(done.error());
  return outcomes;
}

base::expected<std::vector<put_outcome>>
sql_session::check(std::span<const model::avatar> avatars) {
  // Never committed, so that the check writes nothing.
  const auto trial = sql_transaction::write(*on_, sql_subject::avatars, "check avatars");
  if (!trial) return tl::unexpected(trial.error());
  return write_avatars(*on_, avatars);
}

// -- lobby_sink, lobby_history, change_feed -------------------------------------

void sql_session::merge_together(std::span<merge_part> parts) {
  for (auto& each : parts) {
    audit_.attribute(each.run);
    each.merged = merge(each.records, *each.attributes);
  }
  audit_.attribute(nullptr);
}

base::expected<bool> sql_session::has_any() {
  static constexpr sql_command query{
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM lobbies) THEN 1 ELSE 0 END", "look for lobbies"};
  return on_->begin_reading(query.operation)
      .and_then([this] { return select_integer(*on_, query); })
      .map([](std::int64_t found) { return found != 0; });
}

base::expected<history_revisions> sql_session::revisions(const model::uuid& game_id) {
  const auto snapshot = sql_transaction::read(*on_, "begin reading revisions");
  if (!snapshot) return tl::unexpected(snapshot.error());
  return select_history_revisions(*on_, game_id);
}

base::expected<moved_games> sql_session::moved_games_since(std::int64_t known) {
  return on_->begin_reading("look for games that changed").and_then([&] {
    return read_moved_games(*on_, known);
  });
}

// -- access_store ---------------------------------------------------------------

base::expected<std::int64_t> sql_session::tokens_revision() {
  return on_->begin_reading("read the tokens' revision").and_then([this] {
    return read_tokens_revision(*on_);
  });
}

base::expected<model::token_snapshot> sql_session::load_tokens() {
  const auto snapshot = sql_transaction::read(*on_, "begin reading the tokens");
  if (!snapshot) return tl::unexpected(snapshot.error());
  return select_tokens(*on_);
}

base::expected<void> sql_session::create_token(const model::access_token& made) {
  return change(*on_, sql_subject::tokens, "create a token", audit_, [&] {
    return insert_token(*on_, made).and_then([&] {
      return audit_.write(*on_, model::describe_creation(made));
    });
  });
}

base::expected<model::access_token> sql_session::rotate_token(const model::uuid& token_id,
                                                              const model::token_digest& digest,
                                                              std::int64_t former_until_ms,
                                                              std::int64_t now_ms) {
  return change_token(*on_, "rotate a token", audit_, token_id, now_ms,
                      [&](model::access_token& which) -> base::expected<bool> {
                        const auto state = which.state(now_ms);
                        if (state != model::token_state::active)
                          return base::fail(base::errc::token_not_found,
                                            "The token " + model::to_string(token_id) + " is " +
                                                std::string{name_of(state)} +
                                                "; create another one.");
                        which.former_digest = std::exchange(which.digest, digest);
                        which.former_until_ms = former_until_ms;
                        return true;
                      });
}

base::expected<model::access_token> sql_session::revoke_token(const model::uuid& token_id,
                                                              std::int64_t now_ms) {
  return change_token(*on_, "revoke a token", audit_, token_id, now_ms,
                      [&](model::access_token& which) {
                        if (which.revoked_ms) return base::expected<bool>{false};
                        which.revoked_ms = now_ms;
                        return base::expected<bool>{true};
                      });
}

base::expected<void> sql_session::note_uses(std::span<const token_use> uses) {
  auto changes = sql_transaction::write(*on_, std::nullopt, "note uses of tokens");
  if (!changes) return tl::unexpected(changes.error());
  auto done = write_token_uses(*on_, uses);
  return done ? changes->commit() : done;
}

base::expected<void> sql_session::record(const model::audit_change& what) {
  return change(*on_, std::nullopt, "write the audit log", audit_,
                [&] { return audit_.write(*on_, what); });
}

base::expected<model::audit_page> sql_session::read_audit(const model::audit_query& query) {
  // One snapshot: a page that needs two statements must not miss what comes between them.
  const auto snapshot = sql_transaction::read(*on_, "read the audit log");
  if (!snapshot) return tl::unexpected(snapshot.error());
  return select_audit(*on_, query);
}

base::expected<std::size_t> sql_session::expire_audit(std::int64_t before_ms) {
  return expire("audit.expire", "entries", before_ms, delete_audit);
}

base::expected<std::size_t> sql_session::expire_tokens(std::int64_t before_ms) {
  return expire("token.expire", "tokens", before_ms, delete_tokens);
}

base::expected<std::size_t>
sql_session::expire(const char* action, const char* what, std::int64_t before_ms,
                    base::expected<std::size_t> (*remove)(sql_connection&, std::int64_t)) {
  std::size_t gone = 0;
  auto done = change(
      *on_, sql_subject::tokens, "remove what is over", audit_, [&]() -> base::expected<void> {
        const auto removed = remove(*on_, before_ms);
        if (!removed) return tl::unexpected(removed.error());
        gone = *removed;
        if (gone == 0) return {};
        return audit_.write(*on_, model::describe_expiry(action, what, before_ms, gone));
      });
  if (!done) return tl::unexpected(done.error());
  return gone;
}

// -- export_records -------------------------------------------------------------

base::expected<export_claimed> sql_session::claim_export(const export_claim& claim) {
  export_claimed claimed;
  auto done = change_unrevised("claim an export", [&]() -> base::expected<void> {
    if (auto locked = lock_claims_of(*on_, claim.query); !locked) return locked;
    // An export that is to be taken over may be completed, or forgotten, by its owner meanwhile.
    for (int i = 0; i < claim_attempts; ++i) {
      const auto known = select_query_exports(*on_, claim.query);
      if (!known) return tl::unexpected(known.error());
      claimed = claim_of(*known, claim);
      if (!claimed.is_own) return {};
      if (claimed.record.generation == 1)
        return insert_export(*on_, claimed.record, claim.begun_ts);
      const auto taken = take_over_export(*on_, claimed.record, claim.begun_ts);
      if (!taken) return tl::unexpected(taken.error());
      if (*taken) return {};
    }
    return on_->failure("claim an export", "its owners are faster");
  });
  if (!done) return tl::unexpected(done.error());
  return claimed;
}

base::expected<bool> sql_session::renew_export(const export_record& mine,
                                               std::chrono::milliseconds lease) {
  return ask_unrevised("renew the lease of an export",
                       [&] { return store::renew_export(*on_, mine, lease); });
}

base::expected<bool> sql_session::complete_export(const export_record& whole) {
  return ask_unrevised("complete an export", [&] { return store::complete_export(*on_, whole); });
}

base::expected<query_exports> sql_session::exports_of(const model::export_query& query) {
  return on_->begin_reading("look for the exports of a query").and_then([&] {
    return select_query_exports(*on_, query);
  });
}

base::expected<void> sql_session::forget_export(const export_record& which) {
  return change_unrevised("forget an export", [&] { return delete_export(*on_, which); });
}

base::expected<std::optional<export_record>>
sql_session::find_export(const model::uuid& export_id) {
  return on_->begin_reading("look for an export").and_then([&] {
    return select_export(*on_, export_id);
  });
}

base::expected<std::vector<export_record>>
sql_session::exports_over(std::int64_t now_ts, std::int64_t begun_before_ts, std::size_t limit) {
  return on_->begin_reading("look for exports that are over").and_then([&] {
    return select_exports_over(*on_, now_ts, begun_before_ts, limit);
  });
}

base::expected<void>
sql_session::read_exports(const std::function<bool(const export_record&)>& take) {
  return on_->begin_reading("read the exports").and_then([&] {
    return select_exports(*on_, take);
  });
}

base::expected<export_usages> sql_session::export_usage_now() {
  return on_->begin_reading("count the exports").and_then([this] {
    return select_export_usage(*on_);
  });
}

// -- replica_registry -----------------------------------------------------------

base::expected<std::uint32_t> sql_session::renew_replica(const model::uuid& replica_id,
                                                         std::chrono::milliseconds lease) {
  return ask_unrevised("renew the lease of a replica",
                       [&] { return upsert_replica(*on_, replica_id, lease); });
}

base::expected<std::int64_t> sql_session::store_time() {
  return on_->begin_reading("read the store's time").and_then([this] {
    return select_store_time(*on_);
  });
}

base::expected<void>
sql_session::change_unrevised(std::string operation,
                              const std::function<base::expected<void>()>& perform) {
  auto changes = sql_transaction::write(*on_, std::nullopt, std::move(operation));
  if (!changes) return tl::unexpected(changes.error());
  auto done = perform();
  return done ? changes->commit() : done;
}

template <class Perform>
auto sql_session::ask_unrevised(const std::string& operation, Perform perform)
    -> decltype(perform()) {
  decltype(perform()) outcome;
  auto done = change_unrevised(operation, [&]() -> base::expected<void> {
    outcome = perform();
    return outcome ? base::expected<void>{} : tl::unexpected(outcome.error());
  });
  if (!done) return tl::unexpected(done.error());
  return outcome;
}

} // namespace matchcloud::store
