#include "http/wire/media_type.hpp"

#include "http/wire/header_characters.hpp"
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

} // namespace matchcloud::http
