#pragma once

#include "base/expected.hpp"
#include "store/files/media_files.hpp"
#include "store/files/temporary_folder.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Puts images into a data directory so that whoever reads finds each whole or not at all: written
/// aside, synced, renamed. One thread; several writers, also of several processes, get along.
class media_writer {
public:
  /// Fails with `store_failed`.
  static base::expected<media_writer> open(std::string data_dir);

  /// Stores `bytes`, whose name is in `key`, unless it is there. Its content is on disk when this
  /// returns, its name once `sync_names` has. Fails with `store_failed`.
  base::expected<void> put(const image_key& key, std::string_view bytes);

  /// Makes the names of what was put survive a power cut. Call before a transaction that refers to
  /// it commits.
  base::expected<void> sync_names();

private:
  media_writer(std::string data_dir, temporary_folder folder)
      : data_dir_{std::move(data_dir)}, folder_{std::move(folder)} {}

  std::string data_dir_;
  temporary_folder folder_;
  std::uint64_t written_ = 0;
  /// Folders with names that are not synced.
  std::set<std::string> unsynced_;
};

} // namespace matchcloud::store
