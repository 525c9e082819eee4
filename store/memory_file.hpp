#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A file's bytes in memory that nobody can change any more (a sealed memfd), open as a descriptor.
/// What is mapped from it cannot raise SIGBUS, whatever happens to the file on disk. Move only.
class memory_file {
public:
  /// Copies the regular file at `path`. Fails with `io_failed` and a reason that does not repeat
  /// the path: unreadable, not regular, empty, longer than `limit_bytes`, or written to meanwhile.
  /// Blocks for as long as the disk takes.
  static base::expected<memory_file> copy_of(const std::string& path, std::uint64_t limit_bytes);

  memory_file(memory_file&& other) noexcept;
  memory_file& operator=(memory_file&& other) noexcept;
  ~memory_file();

  /// A path under which this process can open the bytes, as long as this object lives.
  std::string path() const;

  /// The last `limit_bytes` bytes, or all if there are fewer. Empty if they cannot be read.
  std::vector<std::uint8_t> tail(std::size_t limit_bytes) const;

private:
  explicit memory_file(int descriptor) noexcept : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

} // namespace matchcloud::store
