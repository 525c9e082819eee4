#pragma once

#include <string_view>

namespace matchcloud::cli {

/// Prints `text` to stdout. Returns false if it cannot be written, and says so on stderr as
/// `program`: "matchcloud audit".
bool print(std::string_view program, std::string_view text);

} // namespace matchcloud::cli
