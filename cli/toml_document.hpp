#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <string>

namespace matchcloud::cli {

// Both throw `base::failure` with `config_invalid`.

/// Parses TOML. The detail of a failure has `source`, the line and what is wrong there.
toml::table parse_toml(const std::string& text, const std::string& source);

/// The same for a file of at most `limit_bytes`, read like `read_bounded_file`.
toml::table read_toml_file(const std::string& file, std::size_t limit_bytes);

} // namespace matchcloud::cli
