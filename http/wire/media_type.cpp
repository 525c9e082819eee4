#include "http/wire/media_type.hpp"

#include "http/wire/list_elements.hpp"
#include "http/wire/response.hpp"

#include <algorithm>

namespace matchcloud::http {

bool is_media_type(std::string_view content_type, std::string_view type) noexcept {
  return equal_ignoring_case(content_type.substr(0, content_type.find_first_of("; \t")), type);
}

bool is_json_lines(std::string_view content_type) noexcept {
  for (auto rest = json_lines_types; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (is_media_type(content_type, rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool is_json(std::string_view content_type) noexcept {
  return is_media_type(content_type, json_type);
}

bool has_unicode_charset(std::string_view content_type) noexcept {
  auto rest = content_type;
  take_until(rest, ';');
  while (!rest.empty()) {
    auto parameter = take_until(rest, ';');
    const auto name = take_until(parameter, '=');
    if (!equal_ignoring_case(name, "charset")) continue;
    auto value = parameter;
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    if (!equal_ignoring_case(value, "utf-8") && !equal_ignoring_case(value, "utf8") &&
        !equal_ignoring_case(value, "us-ascii"))
      return false;
  }
  return true;
}

} // namespace matchcloud::http
