#include "cli/toml_document.hpp"

#include "base/failure.hpp"
#include "cli/bounded_input.hpp"

namespace matchcloud::cli {

toml::table parse_toml(const std::string& text, const std::string& source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& wrong) {
    throw base::failure{base::errc::config_invalid, "{}:{}: {}", source, wrong.source().begin.line,
                        wrong.description()};
  }
}

toml::table read_toml_file(const std::string& file, std::size_t limit_bytes) {
  const auto text = read_bounded_file(file, limit_bytes);
  if (!text) throw base::failure{base::errc::config_invalid, "{}: {}", file, text.error().detail};
  if (text->size() > limit_bytes)
    throw base::failure{base::errc::config_invalid, "{}: has more than {} bytes", file,
                        limit_bytes};
  return parse_toml(*text, file);
}

} // namespace matchcloud::cli
