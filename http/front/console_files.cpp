#include "http/front/console_files.hpp"

#include "model/net/http_url.hpp"

#include <array>
#include <set>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> media_types{
    {{".html", "text/html; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".svg", "image/svg+xml"},
     {".txt", "text/plain; charset=utf-8"},
     {".json", "application/json"},
     {".woff2", "font/woff2"}}};

constexpr std::size_t ping_origins_limit = 64;

} // namespace

std::string_view media_type_of(std::string_view file_name) noexcept {
  for (const auto& [end, type] : media_types)
    if (file_name.ends_with(end)) return type;
  return "application/octet-stream";
}

std::string ping_origins(const model::catalog& of) {
  std::set<std::string> origins;
  for (const auto& region : of.regions)
    if (!region.ping_url.empty() && origins.size() < ping_origins_limit)
      origins.insert(model::origin_of(region.ping_url));
  std::string all;
  for (const auto& each : origins)
    all.append(" ").append(each);
  return all;
}

std::string console_policy(std::string_view ping_origins) {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
         "connect-src 'self'" +
         std::string{ping_origins} +
         "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

} // namespace matchcloud::http
