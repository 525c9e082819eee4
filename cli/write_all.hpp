#pragma once

#include "base/expected.hpp"

#include <string>
#include <string_view>

namespace matchcloud::cli {

/// Writes all bytes to an open file, which errors call `name`. Fails with `io_failed` or
/// `store_full`.
base::expected<void> write_all(int file, const std::string& name, std::string_view bytes);

} // namespace matchcloud::cli
