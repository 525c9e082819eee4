#include "http/front/page_guard.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/message_lines.hpp"
#include "model/net/host_name.hpp"
#include "model/net/ip_address.hpp"
#include "model/net/url_parts.hpp"

#include <algorithm>
#include <string>

namespace matchcloud::http {

namespace {

/// Whether `behind`, the text after a host, is empty or a colon and a port number.
bool is_port(const model::host_and_port& of) noexcept {
  if (of.behind.empty()) return true;
  const auto port = of.port();
  return port && !port->empty() && port->size() <= 5 &&
         std::all_of(port->begin(), port->end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::string_view plain_scheme = "http://";
constexpr std::string_view tls_scheme = "https://";

/// The scheme of the pages of `host`, on any port; empty if the list does not have the host.
std::optional<std::string_view> scheme_of(std::string_view host,
                                          std::span<const std::string> list) noexcept {
  const auto parts = model::split_host_and_port(host);
  if (!parts || !is_port(*parts)) return std::nullopt;
  for (std::string_view each : list) {
    const bool is_tls = each.starts_with(tls_scheme);
    if (is_tls) each.remove_prefix(tls_scheme.size());
    if (model::are_same_host(each, parts->host)) return is_tls ? tls_scheme : plain_scheme;
  }
  return std::nullopt;
}

/// Whether two texts name the same host and port.
bool are_same_authority(std::string_view a, std::string_view b) noexcept {
  const auto one = model::split_host_and_port(a);
  const auto other = model::split_host_and_port(b);
  return one && other && one->is_bracketed == other->is_bracketed && one->behind == other->behind &&
         model::are_same_host(one->host, other->host);
}

/// Whether `origin` is that scheme and host. `scheme` ends with `://`.
bool is_page_of(std::string_view origin, std::string_view scheme, std::string_view host) noexcept {
  return equal_ignoring_case(origin.substr(0, scheme.size()), scheme) &&
         are_same_authority(origin.substr(scheme.size()), host);
}

/// Whether `origin` is foreign: not this machine, the host that the request names, a host of the
/// list or a domain that a namespace registered.
bool is_foreign(std::string_view origin, std::string_view requested_host,
                std::span<const std::string> list, const model::catalog* known) {
  const auto parts = model::split_url(origin);
  const auto host = host_of_origin(origin);
  if (host.empty() || !model::is_web_scheme(parts->scheme)) return true;
  if (are_same_authority(parts->authority, requested_host) || host == "localhost") return false;
  // Any address other than loopback may be someone else's.
  auto address = std::string_view{host};
  if (address.starts_with('[')) address = address.substr(1, address.size() - 2);
  if (const auto parsed = model::parse_ip_address(address)) return !parsed->is_loopback();
  return !scheme_of(host, list) &&
         (known == nullptr || known->find_namespace_of_domain(host) == nullptr);
}

base::error foreign_page(std::string_view from, std::string_view advice) {
  return {base::errc::origin_not_allowed,
          "Pages of " + in_quotes(from) + " may not use this operation. " + std::string{advice}};
}

} // namespace

std::string host_of_origin(std::string_view origin) {
  const auto parts = model::split_url(origin);
  const auto named = parts ? model::split_host_and_port(parts->authority) : std::nullopt;
  if (!named || !parts->rest.empty()) return {};
  std::string host = named->is_bracketed ? "[" + std::string{named->host} + "]"
                                         : std::string{model::without_final_dot(named->host)};
  std::transform(host.begin(), host.end(), host.begin(), to_lower);
  return host;
}

bool is_own_host(std::string_view host) noexcept {
  const auto parts = model::split_host_and_port(host);
  if (!parts || !is_port(*parts)) return false;
  if (!parts->is_bracketed && equal_ignoring_case(parts->host, "localhost")) return true;
  // A caller that uses an address was not led here by a host name.
  const auto address = model::parse_ip_address(parts->host);
  return address && parts->is_bracketed == (parts->host.find(':') != parts->host.npos);
}

std::optional<base::error> check_operator(const request& head, bool is_page,
                                          std::span<const std::string> further_hosts) {
  const auto& host = head.get(header::host);
  auto scheme = head.is_secure ? tls_scheme : plain_scheme;
  if (!is_own_host(host)) {
    const auto found = scheme_of(host, further_hosts);
    if (!found && host.empty())
      return base::error{base::errc::host_not_allowed,
                         "The request has no Host. Only /healthz and /readyz in HTTP/1.0 work "
                         "without it. Send Host."};
    if (!found)
      return base::error{base::errc::host_not_allowed,
                         "The ops plane does not accept the Host " + in_quotes(host) +
                             ". Use its IP address, localhost or a name in ops-hosts."};
    if (!head.is_secure) scheme = *found;
  }
  const auto refuse = [](const std::string& from) {
    return base::error{base::errc::origin_not_allowed,
                       "Pages of " + from +
                           " may not use the ops plane. Call it without a browser."};
  };
  // Without Origin, as an image or a script is requested.
  if (!is_page && equal_ignoring_case(head.get(header::sec_fetch_site), "cross-site"))
    return refuse("another site");
  if (!head.has(header::origin)) return std::nullopt;
  const auto& origin = head.get(header::origin);
  if (is_page_of(origin, scheme, host)) return std::nullopt;
  return refuse(in_quotes(origin));
}

std::optional<base::error> check_local_caller(const request& head,
                                              std::span<const std::string> further_hosts,
                                              const model::catalog* known) {
  const auto& host = head.get(header::host);
  // HTTP/1.0 needs no Host; browsers always send it.
  if (head.has(header::host) && !is_own_host(host) && !scheme_of(host, further_hosts))
    return base::error{base::errc::host_not_allowed,
                       "Without tokens, clients on the service's own machine must name it by an IP "
                       "address, localhost, the host of public-url or a name in data-hosts, not " +
                           in_quotes(host) + ". Use one of these, or add the name to data-hosts."};
  if (!head.has(header::origin)) return std::nullopt;
  const auto& origin = head.get(header::origin);
  if (!is_foreign(origin, host, further_hosts, known)) return std::nullopt;
  return foreign_page(origin, "Register the page's domain for a namespace, or call without a "
                              "browser.");
}

std::optional<base::error> check_untyped_body(const request& head,
                                              std::span<const std::string> further_hosts,
                                              const model::catalog* known) {
  const auto& origin = head.get(header::origin);
  const bool is_cross_site = equal_ignoring_case(head.get(header::sec_fetch_site), "cross-site") ||
                             (head.has(header::origin) &&
                              is_foreign(origin, head.get(header::host), further_hosts, known));
  if (!is_cross_site) return std::nullopt;
  return foreign_page(head.has(header::origin) ? std::string_view{origin} : "another site",
                      "Send Content-Type: application/json, or call without a browser.");
}

} // namespace matchcloud::http
