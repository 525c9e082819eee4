#pragma once

#include "base/error.hpp"
#include "http/wire/request.hpp"
#include "model/catalog/catalog.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Which requests a web page may cause in the browser of a user with access: the operator, or a
/// developer whose machine runs the service.
namespace matchcloud::http {

/// Whether `host`, a valid Host header, names this machine itself rather than by a name that an
/// attacker's DNS may resolve to it (rebinding): an IP address, or `localhost` in any case, each
/// with an optional port of digits.
bool is_own_host(std::string_view host) noexcept;

/// The host name of an `Origin` (`scheme://host[:port]`, RFC 6454), lower case; empty where the
/// origin has another form.
std::string host_of_origin(std::string_view origin);

/// Why the ops plane refuses a request, or nothing. A page in an operator's browser must not
/// administer the service: the Host must be the ops plane's own, and the `Origin`, if present, must
/// have that host and the scheme of the connection, or for a name of `further_hosts` the scheme of
/// the proxy in front. Another site may lead a browser only to a page (`is_page`), not embed or
/// read an answer. `further_hosts`: see `access_settings::ops_hosts`. Fails with `host_not_allowed`
/// or `origin_not_allowed`.
std::optional<base::error> check_operator(const request& head, bool is_page = false,
                                          std::span<const std::string> further_hosts = {});

/// Why an operation of the data plane on a game's data refuses a request from this machine without
/// a token, or nothing. The Host must be this machine's or a name of `further_hosts`
/// (`access_settings::data_hosts`), which keeps out pages whose DNS name points here. The `Origin`,
/// if present, must not be foreign. Fails with `host_not_allowed` or `origin_not_allowed`.
std::optional<base::error> check_local_caller(const request& head,
                                              std::span<const std::string> further_hosts,
                                              const model::catalog* known);

/// Why a request with a body but no media type is refused, or nothing. Browsers send such a body
/// for a page of any origin without a preflight (Fetch standard, "CORS-safelisted request-header"),
/// so the page must not be foreign. Fails with `origin_not_allowed`.
std::optional<base::error> check_untyped_body(const request& head,
                                              std::span<const std::string> further_hosts,
                                              const model::catalog* known);

} // namespace matchcloud::http
