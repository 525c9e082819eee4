#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// The file system that a folder is on, as statfs(2) and statvfs(3) have it.
struct file_system {
  std::uint64_t size_bytes = 0;
  /// Those that this user may still use.
  std::uint64_t free_bytes = 0;
  /// 0 where there is no limit on the number of files.
  std::uint64_t files_limit = 0;
  std::uint64_t free_files = 0;
  bool is_read_only = false;
  /// Its content is gone once the machine, or the container, ends.
  bool is_in_memory = false;
  /// The name of one that other machines share, such as `NFS`; empty for others.
  std::string_view network = {};
};

/// Nothing if it cannot be told; `errno` has the reason. Waits for the file system.
std::optional<file_system> file_system_of(const std::string& folder);

/// How much free space is little: a twentieth, but 1 GiB at least and 10 GiB at most.
std::uint64_t little_space(const file_system& of) noexcept;

} // namespace matchcloud::app
