#pragma once

#include "base/error.hpp"
#include "http/front/front_settings.hpp"
#include "http/front/routes.hpp"
#include "http/transport/head_rules.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace matchcloud::http {

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
