#pragma once

#include "base/expected.hpp"
#include "base/open_file.hpp"

#include <cstddef>
#include <functional>
#include <string_view>

namespace matchcloud::store {

/// For speed: on lobby histories level 1 makes 170 MB/s and 3.3 to 1 of them on one core, level 3
/// 150 MB/s and 3.4 to 1, the usual level 6 68 MB/s and 3.7 to 1.
inline constexpr int gzip_level = 1;

/// Read, compressed and written at once; `stop` is asked in between.
inline constexpr std::size_t gzip_buffer_bytes = 256UL * 1024;

struct gzip_output {
  /// A failure ends the compression.
  std::function<base::expected<void>(std::string_view)> write;
  std::function<bool()> stop;
};

/// Compresses a file in the gzip format (RFC 1952), without name and time: the same bytes make the
/// same file. Memory does not grow with the file. Fails as `write` does, with `store_failed`, or
/// with `cancelled` where `stop` said so. Waits for the disk.
base::expected<void> gzip(const base::open_file& from, const gzip_output& to);

} // namespace matchcloud::store
