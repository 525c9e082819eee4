#pragma once

#include "base/expected.hpp"
#include "store/secrets/secret_versions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace matchcloud::store {

/// The role of named secrets, which all processes on a store share. It is separate from the roles
/// of a `session`: a change writes no entry of the audit log, which is left to the requesting
/// command, and an engine may keep secrets elsewhere, as SQLite's does in files (`secret_files`).
///
/// Any thread that may wait: calls block. All fail with `store_failed` or `store_full`, also if
/// other users can read the secrets or if they are damaged; the detail then says what to do and
/// never what was found. What a call has written is on disk when it returns. A call that fails has
/// written nothing, unless only its last step failed, the sync that makes it survive a power
/// failure. Times are milliseconds since 1970.
class secret_store {
public:
  virtual ~secret_store() = default;

  /// All versions, including expired ones. If there is none, creates the first from random bytes;
  /// if several processes do so at once, one wins, and all get its version.
  virtual base::expected<secret_versions> load(secret_name name) = 0;

  /// All versions, including expired ones; nothing if there are none yet. Creates nothing.
  virtual base::expected<std::optional<secret_versions>> find(secret_name name) = 0;

  /// Replaces the existing versions by those of another store.
  virtual base::expected<void> replace(secret_name name, const secret_versions& versions) = 0;

  /// Makes a new version the newest, and removes those that are no longer accepted. Fails with
  /// `store_failed` if the number of accepted versions is at its limit: only `revoke` drops a
  /// version early. Running services pick up the new one within seconds.
  virtual base::expected<void> rotate(secret_name name, std::int64_t now_ts,
                                      replaced_secrets replaced) = 0;
};

} // namespace matchcloud::store
