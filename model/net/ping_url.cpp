#include "model/net/ping_url.hpp"

#include "model/net/host_name.hpp"
#include "model/net/http_url.hpp"
#include "model/net/ip_address.hpp"

namespace matchcloud::model {

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
