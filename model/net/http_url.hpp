#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// An absolute http or https URL (RFC 3986), in the parts that a client needs.
struct http_url {
  bool secure = false;
  /// A name or an address; an IPv6 address without its brackets.
  std::string host;
  std::uint16_t port = 80;
  /// Path and query, exactly as they were written; at least `/`.
  std::string target = "/";

  /// For the `Host` header: the port where it is not the scheme's.
  std::string authority() const;
  /// For people: without the query, which may hold a signature.
  std::string shown() const;

  friend bool operator==(const http_url&, const http_url&) = default;
};

/// Fails with `config_invalid`: another scheme, no host, a user name, a fragment, a byte that no
/// URL has.
base::expected<http_url> parse_http_url(std::string_view text);

} // namespace matchcloud::model
