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

/// Whoever waits for a copy.
struct copy_watch {
  /// Whether to stop; asked after each page of rows. What was written until then is kept.
  std::function<bool()> stop;
  /// Takes how many rows a step has done, such as "lobbies copied".
  std::function<void(std::string_view step, std::uint64_t rows)> show;
  /// What is said at the end of a failure after which the copy can be completed.
  std::string_view advice = "; what was copied stays, and the same command completes it";
};

/// A table that is the same in both stores.
struct copied_rows {
  std::string_view table;
  /// What the source has.
  std::uint64_t rows = 0;
  /// What this copy wrote of that; the rest was there.
  std::uint64_t written = 0;
  base::sha256_digest digest{};
};

/// The action of the entry in the audit log of a store that others were copied into.
inline constexpr std::string_view copy_action = "store.copy";

/// Copies all tables of a store, from one snapshot, into one that is empty or has the beginning of
/// each table, and compares them whole. An interrupted copy is completed by another: each table
/// goes on after its last row. Until it ends, the target has a mark with which `open_store` refuses
/// it. Nobody else may write to the target meanwhile. Secrets and files are not part of it.
///
/// The revisions of catalog and tokens are written last, when all else is the same, with an entry
/// in the target's audit log; that log is compared up to the source's last entry.
///
/// Fails with `import_invalid` if the target has anything else, which is then left as it was, if
/// the source is an unfinished copy itself, or if the stores differ in the end; with `cancelled` if
/// the watch stops it; or like a connection. The detail says what to do. Reads the source two
/// times, and what the target has once more.
base::expected<std::vector<copied_rows>> copy_store(const copy_side& from, const copy_side& into,
                                                    const copy_watch& watch);

/// Whether `copy_store` would accept both sides. Writes nothing; fails like it.
base::expected<void> check_copy(const copy_side& from, const copy_side& into,
                                const copy_watch& watch);

} // namespace matchcloud::store
