#include "http/media_type.hpp"

#include "http/characters.hpp"
#include "http/response.hpp"

namespace matchcloud::http {

bool is_json(std::string_view content_type) noexcept {
  return equal_ignoring_case(content_type.substr(0, content_type.find_first_of("; \t")), json_type);
}

} // namespace matchcloud::http
