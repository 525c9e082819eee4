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

constexpr std::string_view plain_scheme = "http://";
constexpr std::string_view tls_scheme = "https://";

/// The scheme of pages that name a host of the list, whatever its port; empty where it is not
/// there.
std::optional<std::string_view> scheme_of(std::string_view host,
                                          std::span<const std::string> list) noexcept {
  const auto parts = model::split_host_and_port(host);
  if (!parts || !is_port(*parts)) return std::nullopt;
  for (std::string_view each : list) {
    const bool is_tls = each.starts_with(tls_scheme);
    if (is_tls) each.remove_prefix(tls_scheme.size());
    if (equal_ignoring_case(each, parts->host)) return is_tls ? tls_scheme : plain_scheme;
  }
  return std::nullopt;
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

std::optional<base::error> check_operator(const request& head,
                                          std::span<const std::string> further_hosts) {
  const auto& host = head.get(header::host);
  auto scheme = head.is_secure ? tls_scheme : plain_scheme;
  if (!is_own_host(host)) {
    const auto found = scheme_of(host, further_hosts);
    if (!found)
      return base::error{base::errc::host_not_allowed,
                         "Ask for the ops plane by its address, as localhost or by a name of "
                         "ops-hosts, not as " +
                             in_quotes(host) + "."};
    if (!head.is_secure) scheme = *found;
  }
  if (!head.has(header::origin)) return std::nullopt;
  const auto& origin = head.get(header::origin);
  if (equal_ignoring_case(origin, std::string{scheme} + host)) return std::nullopt;
  return base::error{base::errc::origin_not_allowed, "A page of " + in_quotes(origin) +
                                                         " may not use the ops plane. Ask without "
                                                         "a browser."};
}

} // namespace matchcloud::http
