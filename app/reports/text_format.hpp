#pragma once

#include <string_view>

namespace matchcloud::app {

/// The language that a text which is no JSON seems to be written in, by the ending of its file's
/// name, else by its first line that is no comment: `YAML` or `TOML`. Empty where neither shows.
std::string_view other_format(std::string_view file, std::string_view text) noexcept;

} // namespace matchcloud::app
