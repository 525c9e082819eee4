#pragma once

#include <cstdint>
#include <string>

namespace matchcloud::store {

/// Which file a path leads to and when it was last touched, as stat(2) has it: another state is
/// another content, or may be. Symbolic links are followed, so a link that leads elsewhere is
/// another state too.
struct file_state {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  /// Of the inode; unlike the time before, nobody can choose it.
  std::int64_t changed_ns = 0;
  /// The `errno` of a file that is not there; then the rest is 0.
  int failure = 0;

  /// Blocks for as long as the file system takes.
  static file_state of(const std::string& path) noexcept;

  /// Whether a write right now could leave the state as it is: the kernel stamps files by a clock
  /// that ticks every 1 to 10 ms.
  bool is_fresh() const noexcept;

  friend bool operator==(const file_state&, const file_state&) = default;
};

} // namespace matchcloud::store
