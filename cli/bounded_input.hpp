#pragma once

#include "base/expected.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace matchcloud::cli {

/// Reads a file of any type: all of its bytes, or the first `limit_bytes` + 1 if there are more.
/// Waits for `patience` for each piece of a pipe, for ever if it is negative. Fails with
/// `io_failed`; the detail gives the reason without the file's name.
base::expected<std::string>
read_bounded_file(const std::string& file, std::size_t limit_bytes,
                  std::chrono::milliseconds patience = std::chrono::milliseconds{20'000});

/// Reads stdin like `read_bounded_file`.
base::expected<std::string> read_bounded_stdin(std::size_t limit_bytes);

} // namespace matchcloud::cli
