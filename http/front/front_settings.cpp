#include "http/front/front_settings.hpp"

#include "base/characters.hpp"
#include "http/wire/response.hpp"
#include "model/access/access_token.hpp"
#include "model/net/host_name.hpp"
#include "model/net/url_parts.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::http {

namespace {

/// Headers that tracing libraries add to all requests of a page: W3C Trace Context and Baggage,
/// Sentry's own, and the id that the answer repeats. If they were not allowed, every preflight of a
/// page that uses such a library would fail, and so would its requests.
constexpr std::string_view traced_headers =
    "X-Request-Id, baggage, sentry-trace, traceparent, tracestate";

using base::choice_row;
using base::config_values;
using base::number_row;
using kind = base::config_text::kind;
using outcome = base::expected<void>;

/// Bounds of the headers that `cors-headers` adds to the answer to each preflight.
constexpr std::size_t cors_headers_limit = 32;
constexpr std::size_t cors_header_limit_bytes = 64;

constexpr std::uint64_t day_ms = 86'400'000;

outcome check_base_path(std::string_view path) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"/-_.~"}.find(c) != std::string_view::npos;
  };
  const bool fits = path.empty() || (path.front() == '/' && path.back() != '/' &&
                                     path.find("//") == std::string_view::npos &&
                                     std::ranges::all_of(path, is_plain));
  return fits ? outcome{} : base::not_allowed();
}

outcome set_trusted_proxies(front_settings& of, const config_values& given) {
  of.proxies.trusted_proxies.clear();
  for (const auto& text : given) {
    const auto block = model::parse_cidr(text);
    if (!block) return base::not_allowed();
    of.proxies.trusted_proxies.push_back(*block);
  }
  return {};
}

outcome set_cors_origins(front_settings& of, const config_values& given) {
  const auto is_allowed = [&](const std::string& origin) {
    return (origin == "*" && given.size() == 1) ||
           (model::is_web_url(origin) && origin.back() != '/');
  };
  if (!std::ranges::all_of(given, is_allowed)) return base::not_allowed();
  of.cors_origins = given;
  return {};
}

/// Whether browsers keep pages from setting the header (Fetch standard, "forbidden
/// request-header"), so that naming it is a mistake.
bool is_forbidden_to_pages(std::string_view name) {
  constexpr std::array<std::string_view, 22> forbidden{"accept-charset",
                                                       "accept-encoding",
                                                       "access-control-request-headers",
                                                       "access-control-request-method",
                                                       "access-control-request-private-network",
                                                       "connection",
                                                       "content-length",
                                                       "cookie",
                                                       "cookie2",
                                                       "date",
                                                       "dnt",
                                                       "expect",
                                                       "host",
                                                       "keep-alive",
                                                       "origin",
                                                       "referer",
                                                       "set-cookie",
                                                       "te",
                                                       "trailer",
                                                       "transfer-encoding",
                                                       "upgrade",
                                                       "via"};
  const auto lower = model::to_lower(name);
  return std::ranges::find(forbidden, lower) != forbidden.end() || lower.starts_with("proxy-") ||
         lower.starts_with("sec-");
}

outcome set_cors_headers(front_settings& of, const config_values& given) {
  const auto is_allowed = [](std::string_view name) {
    return !name.empty() && name != "*" && name.size() <= cors_header_limit_bytes &&
           base::token_characters.contains_all(name) && !is_forbidden_to_pages(name);
  };
  if (given.size() > cors_headers_limit || !std::ranges::all_of(given, is_allowed))
    return base::not_allowed();
  of.cors_headers = given;
  return {};
}

outcome set_ops_hosts(access_settings& of, const config_values& given) {
  constexpr std::string_view tls_scheme = "https://";
  for (std::string_view name : given) {
    if (name.starts_with(tls_scheme)) name.remove_prefix(tls_scheme.size());
    if (!model::is_loose_host_name(name)) return base::not_allowed();
  }
  of.ops_hosts = given;
  return {};
}

outcome set_data_hosts(access_settings& of, const config_values& given) {
  if (!std::ranges::all_of(given, model::is_loose_host_name)) return base::not_allowed();
  of.data_hosts = given;
  return {};
}

base::config_row<access_settings> rate_row(std::string name, std::string preset,
                                           rates_by_cost access_settings::*of, cost_class cost,
                                           std::string purpose) {
  return {{std::move(name), kind::text, std::move(preset), std::string{model::rate_policy_allowed},
           std::move(purpose)},
          [=](access_settings& set, const config_values& given) -> outcome {
            const auto policy = model::parse_rate_policy(given.front());
            if (!policy) return base::not_allowed();
            (set.*of)[static_cast<std::size_t>(cost)] = *policy;
            return {};
          }};
}

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

// -- configuration ------------------------------------------------------------

base::config_rows<front_settings> path_keys() {
  return {base::text_row(
      "base-path", &front_settings::base_path, "/path without a slash at the end, or empty",
      "The prefix of every path, for a service that shares its host name.", check_base_path)};
}

base::config_rows<front_settings> page_keys() {
  using word = std::pair<std::string_view, forwarded_header>;
  base::config_rows<front_settings> keys{
      {{"trusted-proxies", kind::list, "", "CIDR blocks or addresses; repeatable",
        "Peers whose forwarding and PROXY protocol headers are trusted for the client's address. "
        "Those headers are ignored from all other peers."},
       set_trusted_proxies},
      base::row_of_part<front_settings>(
          choice_row("forwarded-header", &proxy_trust::header,
                     std::array{word{"auto", forwarded_header::automatic},
                                word{"x-forwarded-for", forwarded_header::x_forwarded_for},
                                word{"forwarded", forwarded_header::forwarded}},
                     "The header that trusted proxies write."),
          &front_settings::proxies),
      {{"cors-origins", kind::list, "*", "origins (https://play.example), or * for any; repeatable",
        "Pages that may read the regions listing in a browser."},
       set_cors_origins},
      {{"cors-headers", kind::list, "",
        "at most 32 names of headers that pages can set, each of at most 64 bytes; repeatable",
        "Request headers that those pages may send, in addition to the ones that operations read "
        "and the tracing headers (traceparent, tracestate, baggage, sentry-trace, X-Request-Id)."},
       set_cors_headers},
  };
  return reloadable(std::move(keys));
}

base::config_rows<access_settings> access_keys() {
  using word = std::pair<std::string_view, bool>;
  base::config_rows<access_settings> keys{
      choice_row("auth", &access_settings::requires_tokens,
                 std::array{word{"open", false}, word{"required", true}},
                 "Whether the data plane requires tokens (matchcloud token create). open needs "
                 "listeners on loopback, or insecure-open."),
      base::flag_row("anonymous-regions", &access_settings::anonymous_regions,
                     "With auth = required: whether listing regions and pinging work without a "
                     "token. A player token still selects the namespace."),
      choice_row("ops-auth", &access_settings::ops_requires_tokens,
                 std::array{word{"beyond-loopback", false}, word{"required", true}},
                 "Whether the ops plane requires tokens even on loopback, for requests from this "
                 "machine that did not pass through a proxy."),
      {{"ops-hosts", kind::list, "",
        "host names in upper or lower case, also with underscores or a final dot, each with "
        "https:// before it where a proxy terminates TLS for it; repeatable",
        "Host names that the ops plane accepts, in addition to its addresses and localhost."},
       set_ops_hosts},
      {{"data-hosts", kind::list, "", "host names; repeatable",
        "With auth = open: host names under which clients on this machine may use exports and "
        "avatars, in addition to its addresses, localhost and the host of public-url."},
       set_data_hosts},
      rate_row("rate-limit-address-cheap", "10000/10", &access_settings::per_address,
               cost_class::cheap,
               "Requests that a client address (IPv6: its prefix; a /48 gets 16 times the limit) "
               "may send to operations that cost little; beyond that, 429. Requests that match no "
               "operation count too. A request without a valid token counts ten times."),
      rate_row("rate-limit-address-expensive", "1000/10", &access_settings::per_address,
               cost_class::expensive, "The same limit for all other operations."),
      rate_row("rate-limit-token-cheap", "50000/10", &access_settings::per_token, cost_class::cheap,
               "Requests that a token (a player token: from each address) may send to operations "
               "that cost little; beyond that, 429. A token may have limits of its own."),
      rate_row("rate-limit-token-expensive", "2000/10", &access_settings::per_token,
               cost_class::expensive, "The same limit for all other operations."),
      number_row("rate-limit-entries", &access_settings::rate_limit_entries, 8, 67'108'864,
                 "How many addresses and tokens the rate limits track, at 16 bytes each. New ones "
                 "replace those whose quota is full again. If there are none, new ones share a "
                 "quarter of the limit."),
  };
  // The table is created at the start.
  return reloadable(std::move(keys), {"rate-limit-entries"});
}

base::config_rows<store_watch> store_watch_keys() {
  base::config_rows<store_watch> keys{
      number_row("store-unreachable-ms", &store_watch::unreachable_after, 1'000, day_ms,
                 "How long the store may be out of reach before administration immediately "
                 "returns 503."),
      number_row("stale-auth-limit-ms", &store_watch::stale_auth_limit, 1'000, 7 * day_ms,
                 "How long tokens are accepted as last known while the store is out of reach; they "
                 "still expire. After that, 503."),
  };
  return reloadable(std::move(keys));
}

} // namespace matchcloud::http
