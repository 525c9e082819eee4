#include "http/front/routes.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/message_lines.hpp"
#include "model/net/host_name.hpp"
#include "model/net/ip_address.hpp"
#include "model/net/url_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace matchcloud::http {

namespace {

/// The segments of a path.
struct path_parts {
  std::array<std::string_view, path_segment_limit> segments;
  std::size_t count = 0;
};

/// Splits at slashes; nothing where a segment is empty or there are more segments than any
/// operation has.
constexpr std::optional<path_parts> split(std::string_view path) noexcept {
  path_parts made;
  if (path == "/") return made; // the root has no segments
  while (!path.empty()) {
    path.remove_prefix(1); // the slash
    const auto end = std::min(path.find('/'), path.size());
    if (made.count == path_segment_limit || end == 0) return std::nullopt;
    made.segments[made.count++] = path.substr(0, end);
    path.remove_prefix(end);
  }
  return made;
}

/// The paths of `operations`, split into segments.
constexpr auto patterns = [] {
  std::array<path_parts, operation_count> all{};
  for (std::size_t i = 0; i < operation_count; ++i)
    all[i] = *split(operations[i].path);
  return all;
}();

constexpr bool is_parameter(std::string_view segment) noexcept {
  return segment.starts_with('{');
}

bool matches(const path_parts& pattern, const path_parts& path) noexcept {
  if (pattern.count != path.count) return false;
  for (std::size_t i = 0; i < path.count; ++i)
    if (!is_parameter(pattern.segments[i]) && pattern.segments[i] != path.segments[i]) return false;
  return true;
}

/// The paths of the ops plane, for people: `/healthz, /readyz, ..`.
std::string ops_paths() {
  std::string all;
  std::string_view last;
  for (const auto& row : operations) {
    const bool is_short = std::ranges::count(row.path, '/') == 1;
    if (row.plane != plane::ops || row.path == last || !is_short) continue;
    last = row.path;
    all.append(all.empty() ? "" : ", ").append(row.path);
  }
  return all + " and the paths below /v1 that GET /openapi.json lists. Faults exist only with "
               "--enable-fault-injection.";
}

tl::unexpected<base::error> not_found(std::string_view path, plane of) {
  return tl::unexpected(no_such_path(path, of));
}

/// Whether a path that a row matches really exists.
bool exists(const route& where, const front_settings& settings) noexcept {
  const auto& row = *where.row;
  if (row.names_something != nullptr) return row.names_something(where.parameters[0]);
  return settings.has_faults || !row.needs_fault_injection;
}

std::optional<base::error> check_media_type(const operation_row& row, const request& head) {
  // An empty value names no type (RFC 9110 section 8.3), so it is treated like a missing header.
  const auto& type = head.get(header::content_type);
  if (type.empty()) return std::nullopt;
  if (row.body != body_kind::none && !row.takes_any_type && !has_unicode_charset(type))
    return base::error{base::errc::media_type_unsupported,
                       "Content-Type " + in_quotes(type) +
                           " names a charset other than UTF-8. Convert the body to UTF-8, and "
                           "leave out charset."};
  const bool is_lines = row.body == body_kind::json_lines;
  if (row.body == body_kind::none ||
      (is_lines ? is_json_lines(type) : is_json(type) || row.takes_any_type))
    return std::nullopt;
  return base::error{base::errc::media_type_unsupported,
                     std::string{"The body must be "} + (is_lines ? "JSON Lines" : "JSON") +
                         ", not " + type.substr(0, 64) + ". Send Content-Type: " +
                         (is_lines ? "application/x-ndjson, application/ndjson, application/jsonl "
                                     "or application/x-jsonlines"
                                   : "application/json") +
                         ", or leave it out."};
}

/// Why a web page may not make a browser send this request, or nothing.
std::optional<base::error> check_page(const operation_row& row, const request& head,
                                      const front_settings& settings, const model::catalog* known) {
  const auto& access = settings.access;
  // Balancers' health checks in HTTP/1.0 send no Host. No DNS rebinding is behind them, since
  // browsers always send Host. Besides, these operations are public and change nothing.
  const bool is_plain_check =
      row.is_health_check && head.http_1_0 && !head.has(header::host) && !head.has(header::origin);
  if (settings.plane == plane::ops)
    return is_plain_check
               ? std::nullopt
               : check_operator(head, row.id == operation::get_console, access.ops_hosts);
  if (head.method == method::options) return std::nullopt;
  // Where tokens are required, a page of another origin has none. Otherwise every request from this
  // machine is admitted, so its page is checked.
  if (row.is_about_game && !access.requires_tokens && head.peer.is_loopback())
    if (auto why = check_local_caller(head, access.data_hosts, known)) return why;
  if (row.body == body_kind::none || !head.get(header::content_type).empty()) return std::nullopt;
  return check_untyped_body(head, access.data_hosts, known);
}

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

base::expected<route> find_route(std::string_view path, std::string_view base_path, plane of) {
  const auto whole = path;
  if (!path.starts_with(base_path)) return not_found(whole, of);
  path.remove_prefix(base_path.size());
  if (!path.starts_with('/')) return not_found(whole, of);

  auto parts = split(path);
  if (!parts) return not_found(whole, of);
  route result;
  if (path.find('%') != path.npos) {
    result.decoded = std::make_unique<std::array<std::string, path_segment_limit>>();
    for (std::size_t i = 0; i < parts->count; ++i) {
      auto plain = percent_decode(parts->segments[i]);
      if (!plain) return tl::unexpected(std::move(plain).error());
      parts->segments[i] = (*result.decoded)[i] = *std::move(plain);
    }
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto& row = operations[i];
    if (!matches(patterns[i], *parts) || row.plane != of || row.path.empty()) continue;
    result.row = &row;
    std::size_t next = 0;
    for (std::size_t at = 0; at < parts->count; ++at)
      if (is_parameter(patterns[i].segments[at])) result.parameters[next++] = parts->segments[at];
    return result;
  }
  return not_found(whole, of);
}

base::error no_such_path(std::string_view path, plane of) {
  // A token in the path may be percent-encoded, which would hide it from the search.
  const auto plain = percent_decode(path);
  const bool is_shown = plain ? !model::has_token(*plain) : !model::has_token(path);
  auto text = "No operation has the path \"" +
              (is_shown ? std::string{path.substr(0, 128)} : std::string{"mc_***"}) + "\". ";
  if (of == plane::ops)
    text += "The ops plane has " + ops_paths();
  else
    text += "GET /openapi.json lists all paths; letter case matters.";
  return {base::errc::route_not_found, std::move(text)};
}

base::expected<std::string> percent_decode(std::string_view segment) {
  std::string plain;
  plain.reserve(segment.size());
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      plain.push_back(segment[i]);
      continue;
    }
    const auto digits = segment.substr(i + 1, 2);
    unsigned byte = 0;
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || status != std::errc{} || end != digits.data() + 2)
      return base::fail(base::errc::target_malformed,
                        "A percent sign in the path must be followed by two hexadecimal digits; "
                        "a percent sign itself is %25.");
    if (byte < 0x20 || byte == 0x7F)
      return base::fail(base::errc::target_malformed,
                        "The path contains a percent-encoded control character. Remove it.");
    plain.push_back(static_cast<char>(byte));
    i += 2;
  }
  return plain;
}

tl::expected<route, refused_request>
find_operation(const request& head, const front_settings& settings, const model::catalog* known) {
  const auto refuse = [](operation which, base::error why, std::string headers = {}) {
    return tl::unexpected(refused_request{which, std::move(why), std::move(headers)});
  };
  if (head.method == method::other)
    return refuse(operation::unmatched, method_not_implemented(head.method_token));
  auto where = find_route(head.path(), settings.base_path, settings.plane);
  if (where && !exists(*where, settings))
    where = tl::unexpected(no_such_path(head.path(), settings.plane));
  if (!where) return refuse(operation::unmatched, std::move(where).error());
  const auto* row = find_at_path(*where->row, head.method);
  if (row == nullptr) {
    const auto allow = allow_of(*where->row);
    return refuse(where->row->id,
                  {base::errc::method_not_allowed,
                   "This path does not support " + head.method_token + ". Use " + allow + "."},
                  "Allow: " + allow + "\r\n");
  }
  where->row = row;
  if (auto why = check_page(*row, head, settings, known)) return refuse(row->id, *std::move(why));
  return *std::move(where);
}

std::optional<base::error> check_body(const operation_row& row, const request& head,
                                      std::uint64_t size) {
  if (auto why = check_media_type(row, head)) return why;
  if (row.body_limit_bytes == 0 || size <= row.body_limit_bytes) return std::nullopt;
  return base::error{base::errc::body_too_large,
                     "The body has " + std::to_string(size) + " bytes; at most " +
                         std::to_string(row.body_limit_bytes) + " are allowed here. " +
                         std::string{row.body_advice}};
}

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
