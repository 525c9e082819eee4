#pragma once

#include "base/files/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace matchcloud::base {

/// A regular file, open for reading, whose bytes never change. All readers share one descriptor;
/// each passes its own offset. Any thread.
class open_file {
public:
  open_file(file_descriptor file, std::uint64_t size_bytes) noexcept
      : file_{std::move(file)}, size_bytes_{size_bytes} {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  virtual ~open_file() = default;

  int descriptor() const noexcept { return file_.get(); }
  /// The size when the file was opened.
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  /// Reads bytes from `offset` on, like pread(2): returns 0 at the end of the file and -1 on an
  /// error. May wait for the disk.
  virtual std::ptrdiff_t read(std::span<char> into, std::uint64_t offset) const noexcept;

  /// Whether the first and last byte of a non-empty span can be read without waiting for the disk.
  /// Returns true if the file system does not know.
  virtual bool is_resident(std::uint64_t offset, std::uint64_t length_bytes) const noexcept;

  /// Reads a span and discards the bytes, so that the kernel's page cache has them. Waits for the
  /// disk.
  virtual void read_ahead(std::uint64_t offset, std::uint64_t length_bytes) const noexcept;

private:
  bool is_resident(std::uint64_t offset) const noexcept;

  file_descriptor file_;
  std::uint64_t size_bytes_;
};

} // namespace matchcloud::base
