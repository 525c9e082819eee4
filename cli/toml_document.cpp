#include "cli/toml_document.hpp"

#include <sstream>

namespace matchcloud::cli {

base::expected<toml::table> parse_toml(const std::string& text, const std::string& source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& failure) {
    std::ostringstream place;
    place << source << ":" << failure.source().begin.line << ": " << failure.description();
    return base::fail(base::errc::config_invalid, place.str());
  }
}

} // namespace matchcloud::cli
