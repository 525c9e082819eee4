#include "http/wire/media_type.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/response.hpp"

#include <algorithm>

namespace matchcloud::http {

namespace {

/// Takes the next parameter and the semicolon after it off `rest`. A semicolon within a quoted
/// string does not count; a string that does not end takes everything.
std::string_view take_parameter(std::string_view& rest) noexcept {
  std::size_t end = 0;
  for (bool quoted = false; end < rest.size() && (quoted || rest[end] != ';'); ++end) {
    if (rest[end] == '"') quoted = !quoted;
    if (quoted && rest[end] == '\\' && end + 1 < rest.size()) ++end;
  }
  const auto parameter = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trim_blanks(parameter);
}

std::string_view without_quotes(std::string_view value) noexcept {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// Whether a charset is UTF-8 or a subset of it. An empty one says nothing.
bool is_unicode(std::string_view charset) noexcept {
  return charset.empty() || equal_ignoring_case(charset, "utf-8") ||
         equal_ignoring_case(charset, "utf8") || equal_ignoring_case(charset, "us-ascii");
}

} // namespace

bool is_media_type(std::string_view content_type, std::string_view type) noexcept {
  return equal_ignoring_case(content_type.substr(0, content_type.find_first_of("; \t")), type);
}

bool is_json_lines(std::string_view content_type) noexcept {
  for (auto rest = json_lines_types; !rest.empty();)
    if (is_media_type(content_type, take_until(rest, ' '))) return true;
  return false;
}

bool is_json(std::string_view content_type) noexcept {
  return is_media_type(content_type, json_type);
}

bool has_unicode_charset(std::string_view content_type) noexcept {
  auto rest = content_type;
  take_until(rest, ';');
  while (!rest.empty()) {
    auto parameter = take_parameter(rest);
    const auto name = take_until(parameter, '=');
    if (equal_ignoring_case(name, "charset") && !is_unicode(without_quotes(trim_blanks(parameter))))
      return false;
  }
  return true;
}

} // namespace matchcloud::http
