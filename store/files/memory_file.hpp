#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace matchcloud::store {

/// A file in memory that can no longer change (a sealed memfd), held as a descriptor. A mapping of
/// it cannot raise SIGBUS. Move-only.
class memory_file {
public:
  /// Makes a file of `size_bytes` bytes, the last of which are `end` and all others 0; these take
  /// no memory until they are read. Fails with `io_failed` and a reason.
  static base::expected<memory_file> of_end(std::uint64_t size_bytes,
                                            std::span<const std::uint8_t> end);

  /// A path through which this process can open the bytes while this object lives.
  std::string path() const;

private:
  explicit memory_file(base::file_descriptor file) noexcept : file_{std::move(file)} {}

  base::file_descriptor file_;
};

} // namespace matchcloud::store
