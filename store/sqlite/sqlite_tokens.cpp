#include "store/sqlite/sqlite_tokens.hpp"

#include "store/sqlite/rows.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

constexpr std::string_view columns =
    "SELECT t.token_id, kind, name, scope, digest, former_digest, former_until_ms, created_ms, "
    "created_by, expires_ms, revoked_ms, cheap_limit, expensive_limit, last_use_ms "
    "FROM tokens t LEFT JOIN token_uses u ON u.token_id = t.token_id";

std::optional<std::int64_t> time_or_none(statement& row, int column) {
  const auto ms = row.integer(column); // 0 for null
  return ms > 0 ? std::optional{ms} : std::nullopt;
}

model::token_digest digest_at(statement& row, int column) {
  const auto blob = row.blob(column);
  model::token_digest digest{};
  std::copy_n(blob.begin(), std::min(blob.size(), digest.size()), digest.begin());
  return digest;
}

model::access_token token_at(statement& row) {
  model::access_token one;
  one.token_id = read_uuid(row, 0);
  // A kind that this version does not know permits the least.
  one.what.kind = model::parse_token_kind(row.text(1)).value_or(model::token_kind::metrics);
  one.what.name = row.text(2);
  one.what.scope = read_uuid(row, 3);
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

void bind_or_null(statement& to, const std::optional<std::int64_t>& value) {
  if (value)
    to.bind(*value);
  else
    to.bind_null();
}

void bind_or_null(statement& to, const std::optional<base::rate_policy>& value) {
  if (value)
    to.bind(model::to_string(*value));
  else
    to.bind_null();
}

base::expected<void> move_revision(connection& on) {
  return on.execute("UPDATE revisions SET revision = revision + 1 WHERE name = 'tokens'",
                    "write the tokens' revision");
}

} // namespace

base::expected<std::int64_t> read_tokens_revision(connection& on) {
  return on.read_integer("SELECT revision FROM revisions WHERE name = 'tokens'",
                         "read the tokens' revision");
}

base::expected<model::token_snapshot> select_tokens(connection& on) {
  const auto revision = read_tokens_revision(on);
  if (!revision) return tl::unexpected(revision.error());
  std::vector<model::access_token> all;
  auto done = for_each_row(on, columns, "read the tokens",
                           [&](statement& row) { all.push_back(token_at(row)); });
  if (!done) return tl::unexpected(done.error());
  return std::make_shared<const model::token_list>(*revision, std::move(all));
}

base::expected<model::access_token> select_token(connection& on, const model::uuid& token_id) {
  auto select = on.prepare(std::string{columns} + " WHERE t.token_id = ?", "read a token");
  if (!select) return tl::unexpected(select.error());
  const auto row = select->bind(token_id.bytes).step();
  if (!row) return tl::unexpected(row.error());
  if (*row) return token_at(*select);
  return tl::unexpected(model::no_such_token(token_id));
}

base::expected<void> insert_token(connection& on, const model::access_token& made) {
  const auto count = on.read_integer("SELECT count(*) FROM tokens", "count the tokens");
  if (!count) return tl::unexpected(count.error());
  if (static_cast<std::size_t>(*count) >= model::token_limit)
    return base::fail(base::errc::too_many_tokens,
                      "The store has " + std::to_string(*count) +
                          " tokens, as many as it may. Revoked ones go when the audit log's time "
                          "is over; let one token serve several places.");
  auto insert = on.prepare("INSERT INTO tokens (token_id, kind, name, scope, digest, created_ms, "
                           "created_by, expires_ms, cheap_limit, expensive_limit) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           "write a token");
  if (!insert) return tl::unexpected(insert.error());
  const auto& what = made.what;
  insert->bind(made.token_id.bytes).bind(model::name_of(what.kind)).bind(what.name);
  if (scope_of(what.kind) == model::token_scope::none)
    insert->bind_null();
  else
    insert->bind(what.scope.bytes);
  insert->bind(made.digest).bind(made.created_ms).bind(made.created_by);
  bind_or_null(*insert, what.expires_ms);
  bind_or_null(*insert, what.limits.cheap);
  bind_or_null(*insert, what.limits.expensive);
  if (auto done = insert->run(); !done) return done;
  return move_revision(on);
}

base::expected<void> update_token(connection& on, const model::access_token& changed) {
  auto update = on.prepare("UPDATE tokens SET digest = ?, former_digest = ?, former_until_ms = ?, "
                           "revoked_ms = ? WHERE token_id = ?",
                           "write a token");
  if (!update) return tl::unexpected(update.error());
  update->bind(changed.digest);
  if (changed.former_digest)
    update->bind(*changed.former_digest);
  else
    update->bind_null();
  update->bind(changed.former_until_ms);
  bind_or_null(*update, changed.revoked_ms);
  if (auto done = update->bind(changed.token_id.bytes).run(); !done) return done;
  return move_revision(on);
}

base::expected<std::size_t> delete_tokens(connection& on, std::int64_t before_ms) {
  for (const auto* sql :
       {"DELETE FROM token_uses WHERE token_id IN (SELECT token_id FROM tokens WHERE "
        "coalesce(revoked_ms, expires_ms) < ?)",
        "DELETE FROM tokens WHERE coalesce(revoked_ms, expires_ms) < ?"}) {
    auto remove = on.prepare(sql, "remove old tokens");
    if (!remove) return tl::unexpected(remove.error());
    if (auto done = remove->bind(before_ms).run(); !done) return tl::unexpected(done.error());
  }
  const auto gone = static_cast<std::size_t>(on.changes());
  if (gone > 0)
    if (auto moved = move_revision(on); !moved) return tl::unexpected(moved.error());
  return gone;
}

base::expected<void> write_token_uses(connection& on, std::span<const token_use> uses) {
  auto upsert =
      on.prepare("INSERT INTO token_uses (token_id, last_use_ms) SELECT token_id, ?2 FROM tokens "
                 "WHERE token_id = ?1 ON CONFLICT (token_id) DO UPDATE SET "
                 "last_use_ms = max(last_use_ms, excluded.last_use_ms)",
                 "note uses of tokens");
  if (!upsert) return tl::unexpected(upsert.error());
  for (const auto& each : uses)
    if (auto done = upsert->bind(each.token_id.bytes).bind(each.used_ms).run(); !done) return done;
  return {};
}

} // namespace matchcloud::store
