#pragma once

#include "model/net/ip_address.hpp"

#include <tl/expected.hpp>

#include <optional>
#include <string_view>

namespace matchcloud::model {

/// The host of a URL: an address or a name.
struct url_host {
  std::optional<ip_address> address;
  /// Without a trailing root dot; empty if the host is an address.
  std::string_view name;
};

/// Reads the host of an http URL as the clients that request it do (WHATWG URL, "host parsing"), so
/// that no spelling of an address passes for a name: IPv4 in one to four parts, decimal, octal or
/// hexadecimal, and IPv6 in brackets, without a zone. Names consist of letters, digits, dashes and
/// underscores; percent-encoding and non-ASCII characters are refused. Fails with a
/// clause that continues the host's name: `which is not an IPv6 address in brackets`. O(text).
tl::expected<url_host, std::string_view> parse_url_host(std::string_view text) noexcept;

} // namespace matchcloud::model
