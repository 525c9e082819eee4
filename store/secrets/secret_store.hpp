#pragma once

#include "base/expected.hpp"
#include "store/secrets/secret_name.hpp"
#include "store/secrets/secret_versions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace matchcloud::store {

/// The role of named secrets, which all processes on a store share. It stands beside the roles of a
/// `session`: a change writes no entry of the audit log, which is left to the command that asks for
/// it, and an engine may keep secrets elsewhere, as SQLite's does in files (`secret_files`).
///
/// Any thread that may wait: calls block. All fail with `store_failed` or `store_full`, also where
/// other users may read the secrets or where they are damaged; the detail then says what to do and
/// never what was found. What a call has written is on disk when it returns. A call that fails has
/// written nothing, unless the last step failed, which makes it survive a power failure. Times are
/// milliseconds since 1970.
class secret_store {
public:
  virtual ~secret_store() = default;

  /// All versions, expired ones included. If there is none, creates the first from random bytes; of
  /// several processes that do so at once one wins, and all get its version.
  virtual base::expected<secret_versions> load(secret_name name) = 0;

  /// All versions, expired ones included; nothing where there are none yet. Creates nothing.
  virtual base::expected<std::optional<secret_versions>> find(secret_name name) = 0;

  /// Puts the versions of another store in the place of those that there are.
  virtual base::expected<void> replace(secret_name name, const secret_versions& versions) = 0;

  /// Makes a new version the newest, and removes those that are no longer accepted. Fails with
  /// `store_failed` if as many are accepted already as there may be: only `revoke` drops a version
  /// early. Running services pick the new one up when they look, within seconds.
  virtual base::expected<void> rotate(secret_name name, std::int64_t now_ts,
                                      replaced_secrets replaced) = 0;

  /// Rotates and keeps the replaced versions, if the newest was created before `due_ts`. Of several
  /// processes that do so at once one rotates: nothing comes between the check and the rotation.
  /// Returns whether this call rotated. Costs one read where nothing is due.
  virtual base::expected<bool> rotate_if_due(secret_name name, std::int64_t now_ts,
                                             std::int64_t due_ts) = 0;

  /// Removes versions that are no longer accepted, so that what they protected stays closed to
  /// whoever gets the store later (forward secrecy). Creates nothing. Returns how many it removed.
  /// Costs one read where none has expired.
  virtual base::expected<std::size_t> prune(secret_name name, std::int64_t now_ts) = 0;
};

} // namespace matchcloud::store
