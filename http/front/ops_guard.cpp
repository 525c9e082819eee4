#include "http/front/ops_guard.hpp"

#include "http/wire/characters.hpp"
#include "http/wire/field_line.hpp"
#include "model/net/ip_address.hpp"
#include "model/net/url_parts.hpp"

#include <algorithm>
#include <string>

namespace matchcloud::http {

namespace {

/// Whether `behind`, what follows a host, is empty or a colon and a port number.
bool is_port(const model::host_and_port& of) noexcept {
  if (of.behind.empty()) return true;
  const auto port = of.port();
  return port && !port->empty() && port->size() <= 5 &&
         std::all_of(port->begin(), port->end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

bool is_own_host(std::string_view host) noexcept {
  const auto parts = model::split_host_and_port(host);
  if (!parts || !is_port(*parts)) return false;
  if (!parts->is_bracketed && equal_ignoring_case(parts->host, "localhost")) return true;
  // Who uses an address was not led here by a host name.
  const auto address = model::parse_ip_address(parts->host);
  return address && parts->is_bracketed == (parts->host.find(':') != parts->host.npos);
}

std::optional<base::error> check_operator(const request& head) {
  const auto& host = head.get(header::host);
  if (!is_own_host(host))
    return base::error{base::errc::host_not_allowed,
                       "Ask for the ops plane by its address or as localhost, not as " +
                           in_quotes(host) + "."};
  if (!head.has(header::origin)) return std::nullopt;
  const auto& origin = head.get(header::origin);
  if (equal_ignoring_case(origin, "http://" + host)) return std::nullopt;
  return base::error{base::errc::origin_not_allowed, "A page of " + in_quotes(origin) +
                                                         " may not use the ops plane. Ask without "
                                                         "a browser."};
}

} // namespace matchcloud::http
