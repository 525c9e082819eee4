#pragma once

#include "base/expected.hpp"
#include "base/open_file.hpp"
#include "model/avatars/image_name.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace matchcloud::store {

/// Names one stored image.
struct image_key {
  model::uuid upload_id;
  model::image_name name;

  friend bool operator==(const image_key&, const image_key&) = default;
};

struct image_key_hash {
  std::size_t operator()(const image_key& key) const noexcept;
};

/// The path of an image: `DATA_DIR/media/XX/UPLOAD_ID.FILE_NAME`, where XX are the last two digits
/// of the digest. Built from the typed values alone, so no client-supplied text gets into it.
std::string media_path(const std::string& data_dir, const image_key& key);

/// The open images of a data directory: one descriptor per file, shared by all readers. One per
/// process; any thread.
class media_files {
public:
  /// At most `open_limit` files are open at once.
  media_files(std::string data_dir, std::size_t open_limit);
  media_files(const media_files&) = delete;
  media_files& operator=(const media_files&) = delete;

  /// Opens an image, or shares the file that is open; it stays open while somebody holds it. Does
  /// not follow a symbolic link in the last component and accepts only regular files. Fails with
  /// `media_not_found`, with `overloaded` if too many files are open, or with `io_failed`. Waits
  /// for the disk.
  base::expected<std::shared_ptr<const base::open_file>> open(const image_key& key);

  /// The number of files that are open or were open recently; at most `open_limit`.
  std::size_t known() const;

private:
  using file_ptr = std::shared_ptr<const base::open_file>;

  base::expected<file_ptr> open_anew(const image_key& key) const;

  std::string data_dir_;
  std::size_t open_limit_;
  mutable std::mutex mutex_;
  std::unordered_map<image_key, std::weak_ptr<const base::open_file>, image_key_hash> files_;
};

} // namespace matchcloud::store
