#pragma once

#include "base/crypto/sha256.hpp"
#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "store/backup/backup_manifest.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Opens a regular file for reading; nothing if there is none. Does not follow links. Fails with
/// `store_failed`.
base::expected<std::optional<base::file_descriptor>> open_regular(const std::string& path);

/// Passes all bytes of an open file to `take`, which may fail, and returns the facts of a file
/// `name` with these bytes. `path` is for messages.
base::expected<backup_file>
read_file(int file, const std::string& path, std::string name,
          const std::function<base::expected<void>(std::string_view piece)>& take = {});

} // namespace matchcloud::store
