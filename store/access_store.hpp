#pragma once

#include "base/expected.hpp"
#include "model/access/access_token.hpp"
#include "model/audit/audit.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace matchcloud::store {

/// When a token was last used.
struct token_use {
  model::uuid token_id;
  std::int64_t used_ms = 0;
};

/// The role of tokens and of the audit log. See `session` for what the calls of all roles have in
/// common. Times are milliseconds since 1970.
class access_store {
public:
  virtual ~access_store() = default;

  /// The tokens' revision. It moves when a token changes, but not when one is used.
  virtual base::expected<std::int64_t> tokens_revision() = 0;
  /// Loads all tokens in one transaction, revoked and expired ones included.
  virtual base::expected<model::token_snapshot> load_tokens() = 0;

  /// Stores a new token. Fails with `too_many_tokens` if there are already `model::token_limit`.
  virtual base::expected<void> create_token(const model::access_token& made) = 0;
  /// Gives a token a new text; the former text works until `former_until_ms`. Returns the updated
  /// token. Fails with `token_not_found`, also if the token is revoked or expired.
  virtual base::expected<model::access_token> rotate_token(const model::uuid& token_id,
                                                           const model::token_digest& digest,
                                                           std::int64_t former_until_ms,
                                                           std::int64_t now_ms) = 0;
  /// Revokes a token; does nothing if it is already revoked. Returns the updated token. Fails with
  /// `token_not_found`.
  virtual base::expected<model::access_token> revoke_token(const model::uuid& token_id,
                                                           std::int64_t now_ms) = 0;
  /// Records when tokens were last used. Moves no revision and writes no entry.
  virtual base::expected<void> note_uses(std::span<const token_use> uses) = 0;

  /// Writes an entry about a change that the store itself does not hold.
  virtual base::expected<void> record(const model::audit_change& what) = 0;
  /// A page of the audit log. It has fewer entries than `query.limit` if their texts are long or if
  /// `audit_scan_limit` entries were scanned.
  virtual base::expected<model::audit_page> read_audit(const model::audit_query& query) = 0;
  /// Removes entries older than `before_ms`, at most a few thousand per call, and logs that in an
  /// entry. Returns how many entries were removed; 0 if none was left.
  virtual base::expected<std::size_t> expire_audit(std::int64_t before_ms) = 0;
  /// Removes tokens that were revoked, or expired, before `before_ms`; logged in an entry. Returns
  /// how many were removed.
  virtual base::expected<std::size_t> expire_tokens(std::int64_t before_ms) = 0;
};

} // namespace matchcloud::store
