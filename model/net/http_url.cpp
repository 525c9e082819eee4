#include "model/net/http_url.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "model/net/ip_address.hpp"

namespace matchcloud::model {

namespace {

constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

tl::unexpected<base::error> refuse(const char* why) {
  return base::fail(base::errc::config_invalid, why);
}

/// Reads `HOST`, `HOST:PORT`, `[V6]` and `[V6]:PORT`.
base::expected<void> read_authority(std::string_view text, http_url& into) {
  if (text.find('@') != std::string_view::npos) return refuse("user names are not supported");
  const bool v6 = text.starts_with('[');
  const auto end = v6 ? text.find(']') : text.find(':');
  if (v6 && end == std::string_view::npos)
    return refuse("the bracket of the address is not closed");
  into.host = text.substr(v6 ? 1 : 0, v6 ? end - 1 : end);
  if (into.host.empty()) return refuse("it has no host");
  if (v6 ? !parse_ip_address(into.host) : !base::name_characters.contains_all(into.host))
    return refuse("its host is neither a name nor an address");
  const auto rest = end == std::string_view::npos ? "" : text.substr(v6 ? end + 1 : end);
  if (rest.empty()) return {};
  const auto port =
      rest.front() == ':' ? base::parse_decimal<std::uint16_t>(rest.substr(1)) : std::nullopt;
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
  const auto scheme = text.substr(0, text.find("://"));
  url.secure = base::equal_ignoring_case(scheme, "https");
  if (scheme.size() == text.size() || (!url.secure && !base::equal_ignoring_case(scheme, "http")))
    return refuse("it does not begin with http:// or https://");
  url.port = url.secure ? https_port : http_port;
  const auto rest = text.substr(scheme.size() + 3);
  if (rest.find('#') != std::string_view::npos) return refuse("it has a fragment");
  if (!base::target_characters.contains_all(rest)) return refuse("it has a byte that no URL has");
  const auto authority = rest.substr(0, rest.find_first_of("/?"));
  if (auto read = read_authority(authority, url); !read) return tl::unexpected(read.error());
  url.target = rest.substr(authority.size());
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

} // namespace matchcloud::model
