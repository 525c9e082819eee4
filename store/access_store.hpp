#pragma once

#include "base/expected.hpp"
#include "model/access/access_token.hpp"
#include "model/audit/audit.hpp"
#include "store/sql_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// When a token was last used.
struct token_use {
  model::uuid token_id;
  std::int64_t used_ms = 0;
};

/// The role of knowing tokens, and of noting what happens. See `session` for what the calls of all
/// roles have in common. Times are milliseconds since 1970.
class access_store {
public:
  virtual ~access_store() = default;

  /// The tokens' revision. It moves when a token changes, but not when one is used.
  virtual base::expected<std::int64_t> tokens_revision() = 0;
  /// Loads all tokens in one transaction, revoked and expired ones included.
  virtual base::expected<model::token_snapshot> load_tokens() = 0;
  /// Records when tokens were last used. Moves no revision and writes no entry.
  virtual base::expected<void> note_uses(std::span<const token_use> uses) = 0;
  /// Writes an entry of the audit log about a change that the store itself does not hold.
  virtual base::expected<void> record(const model::audit_change& what) = 0;
};

/// The role of changing tokens.
class token_store : public sql_table {
public:
  using sql_table::sql_table;

  /// Stores a new token. Fails with `too_many_tokens` if there are already `model::token_limit`.
  base::expected<void> create_token(const model::access_token& made);
  /// Gives a token a new text; the former text works until `former_until_ms`. Returns the updated
  /// token. Fails with `token_not_found`, also if the token is revoked or expired.
  base::expected<model::access_token> rotate_token(const model::uuid& token_id,
                                                   const model::token_digest& digest,
                                                   std::int64_t former_until_ms,
                                                   std::int64_t now_ms);
  /// Revokes a token; does nothing if it is already revoked. Returns the updated token. Fails with
  /// `token_not_found`.
  base::expected<model::access_token> revoke_token(const model::uuid& token_id,
                                                   std::int64_t now_ms);
  /// Removes tokens that were revoked, or expired, before `before_ms`; logged in an entry. Returns
  /// how many were removed.
  base::expected<std::size_t> expire_tokens(std::int64_t before_ms);

private:
  /// Changes a token by `edit`, which returns whether there is anything to change.
  base::expected<model::access_token>
  change_token(std::string_view operation, const model::uuid& token_id, std::int64_t now_ms,
               const std::function<bool(model::access_token&)>& edit);
};

/// The role of the audit log.
class audit_store : public sql_table {
public:
  using sql_table::sql_table;

  /// A page of the audit log. It has fewer entries than `query.limit` if their texts are long or if
  /// `audit_scan_limit` entries were scanned.
  base::expected<model::audit_page> read_audit(const model::audit_query& query);
  /// Removes entries older than `before_ms`, at most a few thousand per call, and logs that in an
  /// entry. Returns how many entries were removed; 0 if none was left.
  base::expected<std::size_t> expire_audit(std::int64_t before_ms);
};

} // namespace matchcloud::store
