#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// An absolute http or https URL (RFC 3986), split into the parts that a client needs.
struct http_url {
  bool secure = false;
  /// A name or an address; an IPv6 address without brackets.
  std::string host;
  std::uint16_t port = 80;
  /// Path and query, exactly as written; at least `/`.
  std::string target = "/";

  /// The `Host` header's value: includes the port unless it is the scheme's default.
  std::string authority() const;
  /// The URL for people, without the query, which may hold a signature.
  std::string shown() const;

  friend bool operator==(const http_url&, const http_url&) = default;
};

/// Parses an absolute URL. Fails with `config_invalid` for another scheme, a missing host, a user
/// name, a fragment or a byte that URLs cannot contain.
base::expected<http_url> parse_http_url(std::string_view text);

/// Checks that paths can be appended to a URL: it has http:// or https://, a host, no slash at the
/// end, and no query or fragment. Fails with `config_invalid`, with a detail if it has a user name.
base::expected<void> check_base_url(std::string_view url);

inline constexpr std::size_t ping_url_limit_bytes = 2'048;

/// Whether the console's page may send requests to `text`: an https URL of at most
/// `ping_url_limit_bytes` without a user name or fragment, or an http URL of the machine itself.
bool is_ping_url(std::string_view text);

/// The origin of such a URL as a browser writes it: `https://lon.example:8443`.
std::string origin_of(std::string_view ping_url);

} // namespace matchcloud::model
