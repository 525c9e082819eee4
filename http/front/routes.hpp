#pragma once

#include "base/error.hpp"
#include "base/expected.hpp"
#include "http/front/front_settings.hpp"
#include "http/operations/list.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/wire/request.hpp"
#include "model/access/access_token.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/ip_address.hpp"

#include <tl/expected.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::http {

/// The operation that a request's path leads to, with its parameters and its caller.
struct route {
  const operation_row* row = nullptr;
  /// The path's parameters in order, percent-decoded: views into the path or `decoded`.
  std::array<std::string_view, path_parameter_limit> parameters = {};
  /// The path's segments, if it has a percent sign.
  std::unique_ptr<std::array<std::string, path_segment_limit>> decoded = {};
  /// The first parameter as an id, where the scope of a token was checked by it.
  std::optional<model::uuid> id = {};
  /// The client's address.
  model::ip_address client = {};
  /// The token that the request was admitted with, valid while it is handled; null: none.
  const model::access_token* token = nullptr;
};

/// Finds the route of a path (without query) on `of`, below `base_path` (empty, or `/x` without a
/// slash at the end): the first operation with that path, whatever its method. Each segment is
/// percent-decoded once, after the split: an encoded slash is part of its segment. Fails with
/// `target_malformed` or `route_not_found`. O(path). Any thread. The route refers to `path`.
base::expected<route> find_route(std::string_view path, std::string_view base_path,
                                 plane of = plane::data);

/// The error `route_not_found` for a path that no operation of the plane has.
base::error no_such_path(std::string_view path, plane of);

/// Decodes `%XX` once. Fails with `target_malformed` where two hexadecimal digits are missing or
/// the byte is a control character.
base::expected<std::string> percent_decode(std::string_view segment);

/// Finds the operation that a head requests, by the checks that need no body, in this order: a
/// known method (501), path (404), method (405), and the page that a browser shows (403). The
/// head's target is not `*`, and the route refers to it. `known`: the domains that namespaces
/// registered; null: none.
tl::expected<route, refused_request> find_operation(const request& head,
                                                    const front_settings& settings,
                                                    const model::catalog* known = nullptr);

/// Why the operation refuses a body of the type in the head and of `size` bytes, or nothing.
std::optional<base::error> check_body(const operation_row& row, const request& head,
                                      std::uint64_t size);

// Which requests a web page may cause in the browser of a user with access: the operator, or a
// developer whose machine runs the service.

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
