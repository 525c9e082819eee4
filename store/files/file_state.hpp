#pragma once

#include <cstdint>
#include <string>

namespace matchcloud::store {

/// The identity and the times of the file at a path, as reported by stat(2): a different state
/// means that the content may differ. Symbolic links are followed, so the state also changes if a
/// link points elsewhere.
struct file_state {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  /// Change time of the inode; unlike the modification time, it cannot be set by users.
  std::int64_t changed_ns = 0;
  /// The `errno` if the file cannot be examined; all other members are then 0.
  int failure = 0;

  /// Reads the state of the file at `path`. Blocks until the file system responds.
  static file_state of(const std::string& path) noexcept;

  /// Whether a write right now might leave the state unchanged, because the kernel stamps files
  /// with a clock that ticks every 1 to 10 ms.
  bool is_fresh() const noexcept;

  friend bool operator==(const file_state&, const file_state&) = default;
};

} // namespace matchcloud::store
