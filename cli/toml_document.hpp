#pragma once

#include "base/expected.hpp"

#include <toml++/toml.h>

#include <string>

namespace matchcloud::cli {

/// Parses TOML. Fails with `config_invalid`; the detail has `source`, the line and what is wrong
/// there.
base::expected<toml::table> parse_toml(const std::string& text, const std::string& source);

} // namespace matchcloud::cli
