#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

/// How much is written before the disk is told to begin with it, so that the last sync is short.
inline constexpr std::uint64_t writeback_bytes = 8UL * 1024 * 1024;

/// A file that is being written under a name of no meaning, for this user alone (0600, whatever the
/// umask). Gone with this object unless it got a name that lasts. One thread at a time. All of it
/// fails with `store_full` or `store_failed`.
class new_file {
public:
  /// The name must be free.
  static base::expected<new_file> create(std::string path);
  /// Likewise; faults that are injected at `export.write` and `export.sync` hit this file.
  static base::expected<new_file> create_of_export(std::string path);

  new_file(new_file&& other) noexcept
      : path_{std::exchange(other.path_, {})},
        file_{std::move(other.file_)},
        size_bytes_{other.size_bytes_},
        handed_bytes_{other.handed_bytes_},
        is_of_export_{other.is_of_export_} {}
  new_file& operator=(new_file&&) = delete;
  ~new_file();

  base::expected<void> append(std::string_view bytes);
  /// Its content is on disk when this returns.
  base::expected<void> sync();

  /// Gives it a lasting name, of the same file system; what has the name is replaced.
  base::expected<void> rename_to(const std::string& path);
  /// Gives it a lasting name unless that is taken: then false.
  base::expected<bool> link_to(const std::string& path);
  /// Leaves it where it is.
  void keep() noexcept { path_.clear(); }

  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

private:
  new_file(std::string path, base::file_descriptor file) noexcept
      : path_{std::move(path)}, file_{std::move(file)} {}

  /// As much of `bytes` as the next write is offered: all, unless a fault is injected.
  base::expected<std::string_view> offered(std::string_view bytes) const;

  /// Empty once it is to stay, or moved from.
  std::string path_;
  base::file_descriptor file_;
  std::uint64_t size_bytes_ = 0;
  /// Handed to the disk already.
  std::uint64_t handed_bytes_ = 0;
  bool is_of_export_ = false;
};

} // namespace matchcloud::store
