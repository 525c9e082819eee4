#pragma once

#include "store/media/image_source.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace matchcloud::store {

/// The path of an image: its name as an object, below the data directory.
std::string media_path(const std::string& data_dir, const image_key& key);

/// The open images of a data directory: one descriptor per file, shared by all readers. One per
/// process; any thread.
class media_files final : public image_source {
public:
  /// At most `open_limit` files are open at once.
  media_files(std::string data_dir, std::size_t open_limit);
  media_files(const media_files&) = delete;
  media_files& operator=(const media_files&) = delete;

  /// Shares the file if it is open. Does not follow a symbolic link in the last component and
  /// accepts only regular files.
  base::expected<opened_image> open(const image_key& key) override;

  /// At most `open_limit`.
  std::size_t known() const override;

private:
  using file_ptr = std::shared_ptr<const base::open_file>;

  base::expected<file_ptr> open_anew(const image_key& key) const;

  std::string data_dir_;
  std::size_t open_limit_;
  mutable std::mutex mutex_;
  std::unordered_map<image_key, std::weak_ptr<const base::open_file>, image_key_hash> files_;
};

} // namespace matchcloud::store
