#pragma once

#include "base/expected.hpp"

#include <string_view>

namespace matchcloud::cli {

/// Prints `text` to stdout. Fails with `io_failed` and the reason.
base::expected<void> print(std::string_view text);

/// Prints `text` to stdout. Returns false if that fails, and reports it on stderr in the name of
/// `program`: "matchcloud audit".
bool print(std::string_view program, std::string_view text);

} // namespace matchcloud::cli
