#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A file's bytes in memory that nobody can change any more (a sealed memfd), open as a descriptor.
/// What is mapped from it cannot raise SIGBUS, whatever happens to the file on disk. Move only.
class memory_file {
public:
  /// Copies the regular file at `path`. Fails with `io_failed` and a reason that does not repeat
  /// the path: unreadable, not regular, empty, longer than `limit_bytes`, or written to meanwhile.
  /// Blocks for as long as the disk takes. With `corrupted_by` one bit of the copy is changed,
  /// which one follows from the number.
  static base::expected<memory_file> copy_of(const std::string& path, std::uint64_t limit_bytes,
                                             std::optional<std::uint64_t> corrupted_by = {});

  memory_file(memory_file&& other) noexcept;
  memory_file& operator=(memory_file&& other) noexcept;
  ~memory_file();

  /// A path under which this process can open the bytes, as long as this object lives.
  std::string path() const;

  /// Puts a private copy of the bytes, in huge pages as far as the kernel has them, where `mapped`
  /// lies, which is a mapping of them: look-ups that jump about find their pages by fewer steps (a
  /// third of the time of one, in a virtual machine). False: there is no memory for it, and what is
  /// mapped there must not be read any more.
  bool copy_over(std::span<const std::uint8_t> mapped) const noexcept;

  /// The last `limit_bytes` bytes, or all if there are fewer. Empty if they cannot be read.
  std::vector<std::uint8_t> tail(std::size_t limit_bytes) const;

private:
  explicit memory_file(int descriptor) noexcept : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

} // namespace matchcloud::store
