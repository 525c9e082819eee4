#include "app/reports/text_format.hpp"

#include "base/characters.hpp"

namespace matchcloud::app {

namespace {

constexpr std::string_view yaml = "YAML";
constexpr std::string_view toml = "TOML";

constexpr base::character_set key_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; }};

bool ends_in(std::string_view file, std::string_view ending) noexcept {
  return file.size() > ending.size() &&
         base::equal_ignoring_case(file.substr(file.size() - ending.size()), ending);
}

/// The line without white space at either end.
std::string_view trimmed(std::string_view line) noexcept {
  const auto begin = line.find_first_not_of(" \t\r");
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

/// The first line that is neither empty nor a comment.
std::string_view first_line(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#') return line;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return {};
}

/// Whether `line` is `[table]` or `[[tables]]`.
bool is_table_header(std::string_view line) noexcept {
  if (!line.starts_with('[')) return false;
  const auto name = line.substr(line.starts_with("[[") ? 2 : 1);
  const auto length = key_characters.span(name);
  return length > 0 && name.substr(length).starts_with(']');
}

std::string_view format_of(std::string_view line) noexcept {
  if (line.starts_with("---") || line.starts_with("%YAML") || line.starts_with("- ")) return yaml;
  if (is_table_header(line)) return toml;
  const auto key = key_characters.span(line);
  const auto rest = trimmed(line.substr(key));
  if (key == 0 || rest.empty()) return {};
  if (rest.front() == '=') return toml;
  return rest == ":" || rest.starts_with(": ") ? yaml : std::string_view{};
}

} // namespace

std::string_view other_format(std::string_view file, std::string_view text) noexcept {
  if (ends_in(file, ".yaml") || ends_in(file, ".yml")) return yaml;
  if (ends_in(file, ".toml")) return toml;
  return format_of(first_line(text));
}

} // namespace matchcloud::app
