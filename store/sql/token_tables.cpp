#include "store/sql/token_tables.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  // A kind that this version does not know permits the least.
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

base::expected<void> move_revision(sql_connection& on) {
  static constexpr sql_command update{
      "UPDATE revisions SET revision = revision + 1 WHERE name = 'tokens'",
      "write the tokens' revision"};
  return on.run(update, {});
}

base::expected<void> check_room(sql_connection& on) {
  static constexpr sql_command query{"SELECT count(*) FROM tokens", "count the tokens"};
  const auto count = select_integer(on, query);
  if (!count) return tl::unexpected(count.error());
  if (static_cast<std::size_t>(*count) < model::token_limit) return {};
  return base::fail(base::errc::too_many_tokens,
                    "The store has " + std::to_string(*count) +
                        " tokens, as many as it may. Revoked and expired ones are removed after "
                        "token-retention-days; let one token serve several places.");
}

} // namespace

base::expected<std::int64_t> read_tokens_revision(sql_connection& on) {
  static constexpr sql_command query{"SELECT revision FROM revisions WHERE name = 'tokens'",
                                     "read the tokens' revision"};
  return select_integer(on, query);
}

base::expected<model::token_snapshot> select_tokens(sql_connection& on) {
  static constexpr sql_command query{
      "SELECT t.token_id, kind, name, scope, digest, former_digest, former_until_ms, created_ms, "
      "created_by, expires_ms, revoked_ms, cheap_limit, expensive_limit, last_use_ms "
      "FROM tokens t LEFT JOIN token_uses u ON u.token_id = t.token_id",
      "read the tokens"};
  const auto revision = read_tokens_revision(on);
  if (!revision) return tl::unexpected(revision.error());
  std::vector<model::access_token> all;
  auto done = for_each_row(on, query, {}, [&](sql_row& row) { all.push_back(token_at(row)); });
  if (!done) return tl::unexpected(done.error());
  return std::make_shared<const model::token_list>(*revision, std::move(all));
}

base::expected<model::access_token> select_token(sql_connection& on, const model::uuid& token_id) {
  static constexpr sql_command query{
      "SELECT t.token_id, kind, name, scope, digest, former_digest, former_until_ms, created_ms, "
      "created_by, expires_ms, revoked_ms, cheap_limit, expensive_limit, last_use_ms "
      "FROM tokens t LEFT JOIN token_uses u ON u.token_id = t.token_id WHERE t.token_id = $1",
      "read a token"};
  std::optional<model::access_token> found;
  auto done = for_each_row(on, query, {token_id}, [&](sql_row& row) { found = token_at(row); });
  if (!done) return tl::unexpected(done.error());
  if (found) return *std::move(found);
  return tl::unexpected(model::no_such_token(token_id));
}

base::expected<void> insert_token(sql_connection& on, const model::access_token& made) {
  static constexpr sql_command insert{
      "INSERT INTO tokens (token_id, kind, name, scope, digest, created_ms, created_by, "
      "expires_ms, cheap_limit, expensive_limit) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      "write a token"};
  if (auto room = check_room(on); !room) return room;
  const auto& what = made.what;
  const bool has_scope = scope_of(what.kind) != model::token_scope::none;
  auto done = on.run(insert, {made.token_id, model::name_of(what.kind), what.name,
                              has_scope ? sql_value{what.scope} : sql_value{std::nullopt},
                              made.digest, made.created_ms, made.created_by, what.expires_ms,
                              text_of(what.limits.cheap), text_of(what.limits.expensive)});
  return done ? move_revision(on) : done;
}

base::expected<void> update_token(sql_connection& on, const model::access_token& changed) {
  static constexpr sql_command update{
      "UPDATE tokens SET digest = $1, former_digest = $2, former_until_ms = $3, revoked_ms = $4 "
      "WHERE token_id = $5",
      "write a token"};
  auto done = on.run(update, {changed.digest, changed.former_digest, changed.former_until_ms,
                              changed.revoked_ms, changed.token_id});
  return done ? move_revision(on) : done;
}

base::expected<std::size_t> delete_tokens(sql_connection& on, std::int64_t before_ms) {
  static constexpr sql_command drop_uses{
      "DELETE FROM token_uses WHERE token_id IN (SELECT token_id FROM tokens WHERE "
      "coalesce(revoked_ms, expires_ms) < $1)",
      "remove old tokens"};
  static constexpr sql_command drop{
      "DELETE FROM tokens WHERE coalesce(revoked_ms, expires_ms) < $1", "remove old tokens"};
  if (auto done = on.run(drop_uses, {before_ms}); !done) return tl::unexpected(done.error());
  const auto gone = on.count_changes(drop, {before_ms});
  if (!gone) return tl::unexpected(gone.error());
  if (*gone > 0)
    if (auto moved = move_revision(on); !moved) return tl::unexpected(moved.error());
  return static_cast<std::size_t>(*gone);
}

base::expected<void> write_token_uses(sql_connection& on, std::span<const token_use> uses) {
  static constexpr sql_command upsert{
      "INSERT INTO token_uses (last_use_ms, token_id) SELECT CAST($1 AS BIGINT), token_id "
      "FROM tokens WHERE token_id = $2 ON CONFLICT (token_id) DO UPDATE SET "
      "last_use_ms = excluded.last_use_ms WHERE excluded.last_use_ms > token_uses.last_use_ms",
      "note uses of tokens"};
  for (const auto& each : uses)
    if (auto done = on.run(upsert, {each.used_ms, each.token_id}); !done) return done;
  return {};
}

} // namespace matchcloud::store
