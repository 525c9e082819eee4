#include "model/access/token_change.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sql/transactions.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

std::optional<std::int64_t> time_or_none(sql_row& row, int column) {
  const auto ms = row.integer(column); // 0 for null
  return ms > 0 ? std::optional{ms} : std::nullopt;
}

model::token_digest digest_at(sql_row& row, int column) {
  const auto blob = row.blob(column);
  model::token_digest digest{};
  std::copy_n(blob.begin(), std::min(blob.size(), digest.size()), digest.begin());
  return digest;
}

model::access_token token_at(sql_row& row) {
  model::access_token one;
  one.token_id = row.uuid(0);
  // A kind unknown to this version gets the fewest permissions.
  one.what.kind = model::parse_token_kind(row.text(1)).value_or(model::token_kind::metrics);
  one.what.name = row.text(2);
  one.what.scope = row.uuid(3);
  one.digest = digest_at(row, 4);
  if (!row.blob(5).empty()) one.former_digest = digest_at(row, 5);
  one.former_until_ms = row.integer(6);
  one.created_ms = row.integer(7);
  one.created_by = row.text(8);
  one.what.expires_ms = time_or_none(row, 9);
  one.revoked_ms = time_or_none(row, 10);
  one.what.limits.cheap = model::parse_rate_policy(row.text(11));
  one.what.limits.expensive = model::parse_rate_policy(row.text(12));
  one.last_use_ms = time_or_none(row, 13);
  return one;
}

std::optional<std::string> text_of(const std::optional<base::rate_policy>& policy) {
  return policy ? std::optional{model::to_string(*policy)} : std::nullopt;
}

/// Throws `too_many_tokens`.
void check_room(sql_connection& on) {
  static constexpr sql_command query{"SELECT count(*) FROM tokens", "count the tokens"};
  const auto count = on.number(query);
  if (static_cast<std::size_t>(count) < model::token_limit) return;
  throw base::failure{
      base::errc::too_many_tokens,
      "The store has {} tokens, which is the limit. Use one token in several places, or wait: "
      "revoked and expired ones are removed after token-retention-days.",
      count};
}

std::int64_t read_tokens_revision(sql_connection& on) {
  static constexpr sql_command query{"SELECT revision FROM revisions WHERE name = 'tokens'",
                                     "read the tokens' revision"};
  return on.number(query);
}

/// The token with that id. Throws `token_not_found`.
model::access_token select_token(sql_connection& on, const model::uuid& token_id) {
  static constexpr sql_command query{
      "SELECT t.token_id, kind, name, scope, digest, former_digest, former_until_ms, created_ms, "
      "created_by, expires_ms, revoked_ms, cheap_limit, expensive_limit, last_use_ms "
      "FROM tokens t LEFT JOIN token_uses u ON u.token_id = t.token_id WHERE t.token_id = $1",
      "read a token"};
  auto found = on.first(query, {token_id}, token_at);
  if (!found) throw base::failure{model::no_such_token(token_id)};
  return *std::move(found);
}

void insert_token(sql_connection& on, const model::access_token& made) {
  static constexpr sql_command insert{
      "INSERT INTO tokens (token_id, kind, name, scope, digest, created_ms, created_by, "
      "expires_ms, cheap_limit, expensive_limit) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      "write a token"};
  const auto& what = made.what;
  const bool has_scope = scope_of(what.kind) != model::token_scope::none;
  on.run(insert, {made.token_id, model::name_of(what.kind), what.name,
                  has_scope ? sql_value{what.scope} : sql_value{std::nullopt}, made.digest,
                  made.created_ms, made.created_by, what.expires_ms, text_of(what.limits.cheap),
                  text_of(what.limits.expensive)});
  move_revision(on, sql_subject::tokens);
}

/// Writes the columns of a token that rotating and revoking change.
void update_token(sql_connection& on, const model::access_token& changed) {
  static constexpr sql_command update{
      "UPDATE tokens SET digest = $1, former_digest = $2, former_until_ms = $3, revoked_ms = $4 "
      "WHERE token_id = $5",
      "write a token"};
  on.run(update, {changed.digest, changed.former_digest, changed.former_until_ms,
                  changed.revoked_ms, changed.token_id});
  move_revision(on, sql_subject::tokens);
}

/// Removes tokens that were revoked or expired before `before_ms`; returns how many.
std::size_t delete_tokens(sql_connection& on, std::int64_t before_ms) {
  static constexpr sql_command drop_uses{
      "DELETE FROM token_uses WHERE token_id IN (SELECT token_id FROM tokens WHERE "
      "coalesce(revoked_ms, expires_ms) < $1)",
      "remove old tokens"};
  static constexpr sql_command drop{
      "DELETE FROM tokens WHERE coalesce(revoked_ms, expires_ms) < $1", "remove old tokens"};
  on.run(drop_uses, {before_ms});
  const auto gone = on.count_changes(drop, {before_ms});
  if (gone > 0) move_revision(on, sql_subject::tokens);
  return gone;
}

/// Writes an entry if something is gone. Returns how many.
std::size_t note_expiry(sql_connection& on, audit_table& audit, model::audit_action action,
                        std::int64_t before_ms, std::size_t gone) {
  const auto* const what = action == model::audit_action::token_expire ? "tokens" : "entries";
  if (gone > 0) audit.write(on, model::describe_expiry(action, what, before_ms, gone));
  return gone;
}

} // namespace

base::expected<std::int64_t> sql_session::tokens_revision() {
  return look("read the tokens' revision", [this] { return read_tokens_revision(*on_); });
}

base::expected<model::token_snapshot> sql_session::load_tokens() {
  static constexpr sql_command query{
      "SELECT t.token_id, kind, name, scope, digest, former_digest, former_until_ms, created_ms, "
      "created_by, expires_ms, revoked_ms, cheap_limit, expensive_limit, last_use_ms "
      "FROM tokens t LEFT JOIN token_uses u ON u.token_id = t.token_id",
      "read the tokens"};
  return read_at_once("begin reading the tokens", [&]() -> model::token_snapshot {
    const auto revision = read_tokens_revision(*on_);
    return std::make_shared<const model::token_list>(revision, on_->all(query, {}, token_at));
  });
}

base::expected<model::access_token>
token_store::change_token(std::string_view operation, const model::uuid& token_id,
                          std::int64_t now_ms,
                          const std::function<bool(model::access_token&)>& edit) {
  return change(sql_subject::tokens, operation, [&] {
    auto token = select_token(*on_, token_id);
    const auto before = token;
    if (edit(token)) {
      update_token(*on_, token);
      audit_->write(*on_, model::describe_change(before, token, now_ms));
    }
    return token;
  });
}

base::expected<void> token_store::create_token(const model::access_token& made) {
  return change(sql_subject::tokens, "create a token", [&] {
    check_room(*on_);
    insert_token(*on_, made);
    audit_->write(*on_, model::describe_creation(made));
  });
}

base::expected<model::access_token> token_store::rotate_token(const model::uuid& token_id,
                                                              const model::token_digest& digest,
                                                              std::int64_t former_until_ms,
                                                              std::int64_t now_ms) {
  return change_token("rotate a token", token_id, now_ms, [&](model::access_token& which) {
    const auto state = which.state(now_ms);
    if (state != model::token_state::active)
      throw base::failure{base::errc::token_not_found, "The token {} is {}; create another one.",
                          model::to_string(token_id), name_of(state)};
    which.former_digest = std::exchange(which.digest, digest);
    which.former_until_ms = former_until_ms;
    return true;
  });
}

base::expected<model::access_token> token_store::revoke_token(const model::uuid& token_id,
                                                              std::int64_t now_ms) {
  return change_token("revoke a token", token_id, now_ms, [&](model::access_token& which) {
    if (which.revoked_ms) return false;
    which.revoked_ms = now_ms;
    return true;
  });
}

base::expected<void> sql_session::note_uses(std::span<const token_use> uses) {
  static constexpr sql_command upsert{
      "INSERT INTO token_uses (last_use_ms, token_id) SELECT CAST($1 AS BIGINT), token_id "
      "FROM tokens WHERE token_id = $2 ON CONFLICT (token_id) DO UPDATE SET "
      "last_use_ms = excluded.last_use_ms WHERE excluded.last_use_ms > token_uses.last_use_ms",
      "note uses of tokens"};
  return change(std::nullopt, upsert.operation, [&] {
    for (const auto& each : uses)
      on_->run(upsert, {each.used_ms, each.token_id});
  });
}

base::expected<void> sql_session::record(const model::audit_change& what) {
  return change(std::nullopt, "write the audit log", [&] { audit_->write(*on_, what); });
}

base::expected<model::audit_page> audit_store::read_audit(const model::audit_query& query) {
  // One snapshot: a page that needs two statements must not miss entries written between them.
  return read_at_once("read the audit log", [&] { return select_audit(*on_, query); });
}

base::expected<std::size_t> audit_store::expire_audit(std::int64_t before_ms) {
  return change(sql_subject::tokens, "remove expired data", [&] {
    return note_expiry(*on_, *audit_, model::audit_action::audit_expire, before_ms,
                       delete_audit(*on_, before_ms));
  });
}

base::expected<std::size_t> token_store::expire_tokens(std::int64_t before_ms) {
  return change(sql_subject::tokens, "remove expired data", [&] {
    return note_expiry(*on_, *audit_, model::audit_action::token_expire, before_ms,
                       delete_tokens(*on_, before_ms));
  });
}

} // namespace matchcloud::store
