#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string>

namespace matchcloud::cli {

/// The bytes of a file of any kind: all of them, or the first `limit_bytes` + 1 where there are
/// more. Fails with `io_failed`; the detail says why, without the file's name.
base::expected<std::string> read_bounded_file(const std::string& file, std::size_t limit_bytes);

/// The same of stdin.
base::expected<std::string> read_bounded_stdin(std::size_t limit_bytes);

} // namespace matchcloud::cli
