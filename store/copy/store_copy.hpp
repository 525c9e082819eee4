#pragma once

#include "base/crypto/sha256.hpp"
#include "base/expected.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// A store that is copied from or into.
struct copy_side {
  sql_connection& on;
  /// For messages and the audit log, so without a password.
  std::string name;
};

/// How a caller follows and stops a copy.
struct copy_watch {
  /// Whether to stop; called after each page of rows. What was written so far is kept.
  std::function<bool()> stop;
  /// Receives the number of rows done in a step such as "lobbies copied".
  std::function<void(std::string_view step, std::uint64_t rows)> show;
  /// Appended to the error of a copy that can be completed later.
  std::string_view advice = "; what was copied stays: run the same command again to complete it";
};

/// A table that is the same in both stores.
struct copied_rows {
  std::string_view table;
  /// Rows of the source.
  std::uint64_t rows = 0;
  /// Rows that this copy wrote; the rest was already there.
  std::uint64_t written = 0;
  base::sha256_digest digest{};
};

/// Copies all tables of a store, from one snapshot, into one that is empty or has the beginning of
/// each table, and then compares them completely. Another run completes an interrupted copy: each
/// table continues after its last row. Until the end the target has a mark, so that `open_store`
/// refuses it. Nothing else may write to the target during the copy. Secrets and files are not
/// copied.
///
/// The revisions of catalog and tokens are written last, when everything else is equal, with an
/// entry in the target's audit log. That log is compared up to the source's last entry.
///
/// Fails with `import_invalid` if the target has other contents (it is then left unchanged), if the
/// source is itself an unfinished copy, or if the stores differ at the end; with `cancelled` if the
/// watch stops it; or like a connection. The detail says what to do. Reads the source twice, and
/// the target's rows once more.
base::expected<std::vector<copied_rows>> copy_store(const copy_side& from, const copy_side& into,
                                                    const copy_watch& watch);

/// Whether `copy_store` would accept both sides. Writes nothing; fails like it.
base::expected<void> check_copy(const copy_side& from, const copy_side& into,
                                const copy_watch& watch);

} // namespace matchcloud::store
