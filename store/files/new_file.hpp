#pragma once

#include "base/files/file_descriptor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

/// How much is written before writeback to the disk starts, so that the final sync is short.
inline constexpr std::uint64_t writeback_bytes = 8UL * 1024 * 1024;

/// A file that is being written under a temporary name, for this user only (0600, regardless of the
/// umask). It is removed with this object unless it received a permanent name. One thread at a
/// time. All functions throw `store_full` or `store_failed`.
class new_file {
public:
  /// Creates the file. The name must be free. A file of an export is subject to faults injected at
  /// `export.write` and `export.sync`.
  explicit new_file(std::string path, bool is_of_export = false);
  new_file(new_file&& other) noexcept
      : path_{std::exchange(other.path_, {})},
        file_{std::move(other.file_)},
        size_bytes_{other.size_bytes_},
        handed_bytes_{other.handed_bytes_},
        is_of_export_{other.is_of_export_} {}
  new_file& operator=(new_file&&) = delete;
  ~new_file();

  void append(std::string_view bytes);
  /// Syncs the content, which is on disk when this returns.
  void sync();

  /// Renames the file to a permanent name on the same file system, replacing any file there.
  void rename_to(const std::string& path);
  /// Gives the file a permanent name, by a link or by what `base::name_file` does instead. Returns
  /// false if the name is taken.
  bool link_to(const std::string& path);
  /// Keeps the file under its present name.
  void keep() noexcept { path_.clear(); }

  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

private:
  /// The part of `bytes` to offer to the next write: all of it unless a fault is injected.
  std::string_view offered(std::string_view bytes) const;

  /// Empty once the file is to be kept, or after a move.
  std::string path_;
  base::file_descriptor file_;
  std::uint64_t size_bytes_ = 0;
  /// Bytes for which writeback was already started.
  std::uint64_t handed_bytes_ = 0;
  bool is_of_export_;
};

} // namespace matchcloud::store
