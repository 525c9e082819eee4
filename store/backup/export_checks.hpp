#pragma once

#include "base/expected.hpp"
#include "store/backup/verification.hpp"
#include "store/copy/store_copy.hpp"
#include "store/database.hpp"
#include "store/object_store.hpp"

#include <string>

namespace matchcloud::store {

/// Checks the exports in the folder `exports/` of a data directory or a backup: each must have the
/// files that its `about.json` describes, with the right size.
void check_export_files(const std::string& in, verification& into);

/// Reads the exports of a bucket whose records are complete. Fails with `cancelled` or
/// `store_failed`.
base::expected<void> check_export_objects(database& in, object_store& objects,
                                          const copy_watch& watch, verification& into);

} // namespace matchcloud::store
