#pragma once

#include <string_view>

namespace matchcloud::app {

/// Guesses the format of a text that is not JSON, from the extension of its file's name, or else
/// from its first line that is no comment: `YAML` or `TOML`. Empty if neither is recognized.
std::string_view other_format(std::string_view file, std::string_view text) noexcept;

} // namespace matchcloud::app
