#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A copy of a file in memory that can no longer change (a sealed memfd), held as a descriptor. A
/// mapping of it cannot raise SIGBUS, whatever happens to the file on disk. Move-only.
class memory_file {
public:
  /// Copies the regular file at `path`. Fails with `io_failed` and a reason that does not repeat
  /// the path: unreadable, not regular, empty, longer than `limit_bytes`, or written to meanwhile.
  /// Blocks for as long as the disk takes. If `corrupted_by` is set, one bit of the copy is
  /// flipped; the number determines which one.
  static base::expected<memory_file> copy_of(const std::string& path, std::uint64_t limit_bytes,
                                             std::optional<std::uint64_t> corrupted_by = {});

  memory_file(memory_file&& other) noexcept;
  memory_file& operator=(memory_file&& other) noexcept;
  ~memory_file();

  /// A path through which this process can open the bytes while this object lives.
  std::string path() const;

  /// The last `limit_bytes` bytes, or all bytes if there are fewer. Empty if they cannot be read.
  std::vector<std::uint8_t> tail(std::size_t limit_bytes) const;

private:
  explicit memory_file(int descriptor) noexcept : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

} // namespace matchcloud::store
