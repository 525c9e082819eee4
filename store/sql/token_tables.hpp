#pragma once

#include "model/access/access_token.hpp"
#include "store/access_store.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace matchcloud::store {

base::expected<std::int64_t> read_tokens_revision(sql_connection& on);
/// Implements `access_store::load_tokens`. Call this in a transaction.
base::expected<model::token_snapshot> select_tokens(sql_connection& on);
/// The token with that id. Fails with `token_not_found`.
base::expected<model::access_token> select_token(sql_connection& on, const model::uuid& token_id);

// Each moves the revision; call them in a write transaction.

/// Fails with `too_many_tokens`.
base::expected<void> insert_token(sql_connection& on, const model::access_token& made);
/// Writes what rotating and revoking change of a token.
base::expected<void> update_token(sql_connection& on, const model::access_token& changed);
/// Removes tokens that were revoked or expired before `before_ms`; returns how many.
base::expected<std::size_t> delete_tokens(sql_connection& on, std::int64_t before_ms);

/// Implements `access_store::note_uses`. Moves no revision.
base::expected<void> write_token_uses(sql_connection& on, std::span<const token_use> uses);

} // namespace matchcloud::store
