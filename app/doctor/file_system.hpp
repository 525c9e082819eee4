#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// A number of bytes for people, such as `512 MiB`: three digits at most, rounded down.
std::string shown_bytes(std::uint64_t bytes);

/// The file system of a folder, as reported by statfs(2) and statvfs(3).
struct file_system {
  std::uint64_t size_bytes = 0;
  /// The bytes that this user may still use.
  std::uint64_t free_bytes = 0;
  /// 0 if the number of files has no limit.
  std::uint64_t files_limit = 0;
  std::uint64_t free_files = 0;
  bool is_read_only = false;
  /// Its content is lost when the machine or the container stops.
  bool is_in_memory = false;
  /// The name of a network file system, such as `NFS`; empty for others.
  std::string_view network = {};
};

/// Empty if it cannot be determined; `errno` has the reason. Waits for the file system.
std::optional<file_system> file_system_of(const std::string& folder);

/// Less free space than this is little: a twentieth, but at least 1 GiB and at most 10 GiB.
std::uint64_t little_space(const file_system& of) noexcept;

} // namespace matchcloud::app
