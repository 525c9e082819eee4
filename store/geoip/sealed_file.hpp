#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace matchcloud::store {

/// A copy of a GeoIP file in memory that nothing can change (a sealed memfd), so that neither
/// reading it nor mapping it can raise SIGBUS, whatever happens to the file. Move-only; any thread
/// may read.
class sealed_file {
public:
  /// Copies the file at `path`, of at most 4 GiB. Blocks until the disk responds. Fails with
  /// `io_failed` and a reason that does not repeat the path, as `stable_file`: also if the file
  /// changes while it is copied. If `corrupted_by` is set, one bit of the copy is wrong; the number
  /// determines which one.
  static base::expected<sealed_file> copy(const std::string& path,
                                          std::optional<std::uint64_t> corrupted_by = {});

  std::span<const std::uint8_t> bytes() const noexcept { return {begin_.get(), size_}; }
  /// Where a library can open the copy, while this exists.
  std::string path() const { return "/proc/self/fd/" + std::to_string(memory_.get()); }

private:
  base::file_descriptor memory_;
  std::shared_ptr<const std::uint8_t> begin_;
  std::size_t size_ = 0;
};

} // namespace matchcloud::store
