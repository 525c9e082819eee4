#include "model/net/http_url.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "model/net/host_name.hpp"
#include "model/net/ip_address.hpp"
#include "model/net/url_parts.hpp"

namespace matchcloud::model {

namespace {

constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

tl::unexpected<base::error> refuse(const char* why) {
  return base::fail(base::errc::config_invalid, why);
}

base::expected<void> read_authority(std::string_view text, http_url& into) {
  if (text.find('@') != std::string_view::npos) return refuse("user names are not supported");
  const auto parts = split_host_and_port(text);
  if (!parts) return refuse("the bracket of the address is not closed");
  into.host = parts->host;
  if (into.host.empty()) return refuse("it has no host");
  if (parts->is_bracketed ? !parse_ip_address(into.host)
                          : !base::name_characters.contains_all(into.host))
    return refuse("its host is neither a name nor an address");
  if (parts->behind.empty()) return {};
  const auto port = base::parse_decimal<std::uint16_t>(parts->port().value_or(""));
  if (!port || *port == 0) return refuse("its port is not a number from 1 to 65535");
  into.port = *port;
  return {};
}

} // namespace

std::string http_url::authority() const {
  auto text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (secure ? https_port : http_port)) text.append(":").append(std::to_string(port));
  return text;
}

std::string http_url::shown() const {
  return (secure ? "https://" : "http://") + authority() + target.substr(0, target.find('?'));
}

base::expected<http_url> parse_http_url(std::string_view text) {
  http_url url;
  const auto parts = split_url(text);
  if (!parts || !is_web_scheme(parts->scheme))
    return refuse("it does not begin with http:// or https://");
  url.secure = base::equal_ignoring_case(parts->scheme, "https");
  url.port = url.secure ? https_port : http_port;
  if (parts->rest.find('#') != std::string_view::npos) return refuse("it has a fragment");
  if (!base::target_characters.contains_all(text.substr(parts->scheme.size())))
    return refuse("it contains a byte that is not allowed in a URL");
  if (auto read = read_authority(parts->authority, url); !read) return tl::unexpected(read.error());
  url.target = parts->rest;
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

base::expected<void> check_base_url(std::string_view url) {
  const auto parts = split_url(url);
  if (parts && parts->authority.find('@') != std::string_view::npos)
    return base::fail(base::errc::config_invalid,
                      "everyone would see the user name and password before the @; remove them");
  if (!is_web_url(url) || url.back() == '/' ||
      url.find_first_of(" ?#\"<>") != std::string_view::npos)
    return base::fail(base::errc::config_invalid, {});
  return {};
}

bool is_ping_url(std::string_view text) {
  if (text.size() > ping_url_limit_bytes) return false;
  const auto url = parse_http_url(text);
  if (!url) return false;
  const auto address = parse_ip_address(url->host);
  // Its origin becomes part of a header, so its host must be a name or an address.
  if (!address && !is_host_name(to_lower(url->host))) return false;
  const bool is_local = address ? address->is_loopback() : to_lower(url->host) == "localhost";
  return url->secure || is_local;
}

std::string origin_of(std::string_view ping_url) {
  const auto url = parse_http_url(ping_url);
  if (!url) return {};
  return (url->secure ? "https://" : "http://") + to_lower(url->authority());
}

} // namespace matchcloud::model
