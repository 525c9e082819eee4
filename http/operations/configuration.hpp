#pragma once

#include "http/operations/operation.hpp"

/// The configuration of the service.
namespace matchcloud::http::rows {

inline constexpr operation_row get_config{
    .plane = plane::ops, .path = "/v1/config", .cost = cost_class::cheap, .allowed = observers};

inline constexpr operation_row get_log_levels{
    .plane = plane::ops, .path = "/v1/log-levels", .cost = cost_class::cheap, .allowed = observers};

inline constexpr operation_row put_log_levels{.plane = plane::ops,
                                              .method = method::put,
                                              .path = "/v1/log-levels",
                                              .body = body_kind::json,
                                              .takes_any_type = true,
                                              .body_limit_bytes = 4UL * 1024,
                                              .body_advice = "It has a member for each subject.",
                                              .allowed = administrators};

} // namespace matchcloud::http::rows
