#pragma once

#include "base/error.hpp"
#include "base/expected.hpp"
#include "http/front/front_settings.hpp"
#include "http/operations/list.hpp"
#include "http/transport/admitted_request.hpp"
#include "model/access/access_token.hpp"
#include "model/net/ip_address.hpp"

#include <tl/expected.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
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

} // namespace matchcloud::http
