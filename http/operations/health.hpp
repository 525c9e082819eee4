#pragma once

#include "http/operations/operation.hpp"

/// Whether the process lives and serves, and what it is.
namespace matchcloud::http::rows {

inline constexpr operation_row get_health{.plane = plane::ops,
                                          .path = "/healthz",
                                          .cost = cost_class::cheap,
                                          .anonymous = anonymous_access::yes,
                                          .is_health_check = true};

inline constexpr operation_row get_readiness{.plane = plane::ops,
                                             .path = "/readyz",
                                             .cost = cost_class::cheap,
                                             .anonymous = anonymous_access::yes,
                                             .is_health_check = true};

inline constexpr operation_row get_version{
    .plane = plane::ops, .path = "/v1/version", .cost = cost_class::cheap, .allowed = observers};

} // namespace matchcloud::http::rows
