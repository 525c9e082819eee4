#pragma once

#include "base/expected.hpp"
#include "store/backup/verification.hpp"
#include "store/copy/store_copy.hpp"
#include "store/database.hpp"
#include "store/object_store.hpp"

#include <string>

namespace matchcloud::store {

/// Looks at the exports in the folder `exports/` of a data directory or a backup: whether each has
/// the files that it says, of the size that it says.
void check_export_files(const std::string& in, verification& into);

/// Reads the exports of a bucket that its records say are whole. Fails with `cancelled` or
/// `store_failed`.
base::expected<void> check_export_objects(database& in, object_store& objects,
                                          const copy_watch& watch, verification& into);

} // namespace matchcloud::store
