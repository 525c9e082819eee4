#include "http/front/front_settings.hpp"

#include "http/wire/response.hpp"

#include <algorithm>

namespace matchcloud::http {

bool may_read_regions(const request& of, const front_settings& settings) noexcept {
  if (settings.allows_any_origin()) return true;
  const auto& origin = of.get(header::origin);
  const auto& allowed = settings.cors_origins;
  return !origin.empty() && std::find(allowed.begin(), allowed.end(), origin) != allowed.end();
}

std::string cors_headers_of(const operation_row& row, const request& of,
                            const front_settings& settings) {
  switch (row.cors) {
  case cors_policy::none: return {};
  case cors_policy::any_origin:
  case cors_policy::anybody: return std::string{any_origin_header};
  case cors_policy::configured_origins: break;
  }
  if (settings.allows_any_origin()) return std::string{any_origin_header};
  if (!may_read_regions(of, settings)) return "Vary: Origin\r\n";
  return "Access-Control-Allow-Origin: " + of.get(header::origin) + "\r\nVary: Origin\r\n";
}

} // namespace matchcloud::http
