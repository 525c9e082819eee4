#pragma once

#include "base/expected.hpp"
#include "store/backup/verification.hpp"
#include "store/copy/store_copy.hpp"
#include "store/engines/store_place.hpp"

#include <string>

namespace matchcloud::store {

/// Reads all of a store, which may be in use: the rows of one snapshot, and the images and exports
/// that they refer to. An object that was removed together with its rows is not missing. Takes
/// memory for the name of each image. Fails like `open_existing_store`, or with `cancelled`.
base::expected<verification> verify_store(const store_place& place, const copy_watch& watch);

/// Reads all of a backup and compares it with its manifest. Fails like `open_backup`, or with
/// `cancelled`.
base::expected<verification> verify_backup(const std::string& folder, const copy_watch& watch);

} // namespace matchcloud::store
