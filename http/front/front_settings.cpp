#include "http/front/front_settings.hpp"

#include "http/wire/response.hpp"

#include <algorithm>

namespace matchcloud::http {

namespace {

/// Headers that tracing libraries add to all requests of a page: W3C Trace Context and Baggage,
/// Sentry's own, and the id that the answer repeats. If they were not allowed, every preflight of a
/// page that uses such a library would fail, and so would its requests.
constexpr std::string_view traced_headers =
    "X-Request-Id, baggage, sentry-trace, traceparent, tracestate";

} // namespace

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
  case cors_policy::anybody: return std::string{any_origin_headers};
  case cors_policy::configured_origins: break;
  }
  if (settings.allows_any_origin()) return std::string{any_origin_headers};
  if (!may_read_regions(of, settings)) return "Vary: Origin\r\n";
  return one_origin_headers(of) + "Vary: Origin\r\n";
}

std::string one_origin_headers(const request& of) {
  return "Access-Control-Allow-Origin: " + of.get(header::origin) + "\r\n" +
         std::string{exposed_headers};
}

std::string preflight_headers(const operation_row& row, const request& of,
                              const front_settings& settings) {
  const bool from_page = of.has(header::origin);
  std::string lines;
  switch (row.cors) {
  case cors_policy::none: return {};
  case cors_policy::configured_origins:
    if (!from_page) return {};
    if (!may_read_regions(of, settings)) return "Vary: Origin\r\n";
    lines = settings.allows_any_origin()
                ? "Access-Control-Allow-Origin: *\r\n"
                : "Access-Control-Allow-Origin: " + of.get(header::origin) + "\r\nVary: Origin\r\n";
    break;
  case cors_policy::any_origin:
    if (!from_page) return {};
    [[fallthrough]];
  case cors_policy::anybody: lines = "Access-Control-Allow-Origin: *\r\n"; break;
  }
  lines.append(row.method == method::post ? "Access-Control-Allow-Methods: POST\r\n"
                                          : "Access-Control-Allow-Methods: GET, HEAD\r\n");
  lines.append("Access-Control-Allow-Headers: ").append(row.page_headers);
  lines.append(", ").append(traced_headers);
  for (const auto& name : settings.cors_headers)
    lines.append(", ").append(name);
  return lines + "\r\nAccess-Control-Max-Age: 86400\r\n";
}

} // namespace matchcloud::http
