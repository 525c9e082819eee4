#include "http/wire/media_type.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/response.hpp"

namespace matchcloud::http {

bool is_media_type(std::string_view content_type, std::string_view type) noexcept {
  return equal_ignoring_case(content_type.substr(0, content_type.find_first_of("; \t")), type);
}

bool is_json(std::string_view content_type) noexcept {
  return is_media_type(content_type, json_type);
}

} // namespace matchcloud::http
