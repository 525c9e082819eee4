#pragma once

#include "base/expected.hpp"

#include <string>
#include <string_view>

namespace matchcloud::app {

/// A name or address by which a server is reached, for its certificate.
struct certificate_host {
  bool is_address = false;
  /// A host name in lower case without a final dot, or an address without brackets.
  std::string text;

  friend bool operator==(const certificate_host&, const certificate_host&) = default;
};

/// Reads a host name or an address, an IPv6 address with or without brackets. Fails with
/// `config_invalid` for anything else, also for a name with a `*`.
base::expected<certificate_host> parse_certificate_host(std::string_view text);

} // namespace matchcloud::app
