#pragma once

#include "base/expected.hpp"
#include "store/backup/backup_manifest.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/engines/store_place.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::store {

/// What was restored.
struct restored {
  backup_manifest manifest;
  std::uint64_t images = 0;
  /// Whether an earlier run had already restored everything.
  bool was_done = false;
  /// See `verification::left_out`.
  std::string left_out;
};

/// Restores a whole backup into an empty place: a data directory that is missing or empty, or a
/// PostgreSQL database without a store; images go to the place's bucket, if it has one. Verifies
/// the backup before it writes anything. Running it again with the same backup completes an
/// interrupted restore; until then `open_store` refuses the store. Nothing else may write to the
/// place during a restore.
///
/// Fails with `import_invalid` if the backup is incomplete or damaged, or the place has other
/// contents; with `config_invalid` if a key is missing; with `store_newer`, `cancelled`,
/// `store_failed` or `store_full`. The detail says what to do.
base::expected<restored> restore_backup(const std::string& folder, const store_place& into,
                                        const copy_watch& watch);

} // namespace matchcloud::store
