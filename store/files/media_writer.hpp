#pragma once

#include "base/expected.hpp"
#include "store/files/media_files.hpp"
#include "store/files/temporary_folder.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Writes images into a data directory so that readers find each image complete or not at all:
/// written aside, synced, renamed. One thread per writer; several writers, even of several
/// processes, can work at the same time.
class media_writer {
public:
  /// Opens a writer. Fails with `store_failed`.
  static base::expected<media_writer> open(std::string data_dir);

  /// Stores `bytes` under the name in `key` unless the file exists. The content is on disk when
  /// this returns, the name only after `sync_names`. Fails with `store_failed`.
  base::expected<void> put(const image_key& key, std::string_view bytes);

  /// Makes the names of the stored images survive a power failure. Call this before committing a
  /// transaction that refers to them.
  base::expected<void> sync_names();

private:
  media_writer(std::string data_dir, temporary_folder folder)
      : data_dir_{std::move(data_dir)}, folder_{std::move(folder)} {}

  std::string data_dir_;
  temporary_folder folder_;
  std::uint64_t written_ = 0;
  /// Folders that contain names not yet synced.
  std::set<std::string> unsynced_;
};

} // namespace matchcloud::store
