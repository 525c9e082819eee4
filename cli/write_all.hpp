#pragma once

#include "base/expected.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>

namespace matchcloud::cli {

inline constexpr mode_t owner_only = 0600;
/// The number of names to try for a temporary file: a killed process with the same id may have left
/// one.
inline constexpr int aside_limit = 1'000;

/// Writes all bytes to an open file, which errors call `name`. Fails with `io_failed` or
/// `store_full`.
base::expected<void> write_all(int file, const std::string& name, std::string_view bytes);

} // namespace matchcloud::cli
