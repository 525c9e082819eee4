#pragma once

#include "base/error.hpp"
#include "http/wire/request.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// Whether `host`, a valid Host header, names this machine itself rather than by a name that an
/// attacker's DNS may resolve to it (rebinding): an IP address, or `localhost` in any case, each
/// with an optional port of digits.
bool is_own_host(std::string_view host) noexcept;

/// Why the ops plane does not answer a request, or nothing. A page that an operator's browser shows
/// must not administer the service: the Host must be the ops plane's own, and an `Origin`, where
/// there is one, must be that host and the scheme: the connection's own, or for a name of
/// `further_hosts` that of the proxy in front. `further_hosts`: see
/// `access_settings::ops_hosts`. Fails with `host_not_allowed` or `origin_not_allowed`.
std::optional<base::error> check_operator(const request& head,
                                          std::span<const std::string> further_hosts = {});

} // namespace matchcloud::http
