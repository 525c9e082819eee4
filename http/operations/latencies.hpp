#pragma once

#include "http/operations/operation.hpp"

/// Latencies that players measure, so that others get the region that is fastest for them.
namespace matchcloud::http::rows {

inline constexpr operation_row report_latencies{.method = method::post,
                                                .path = "/matchmaker/latencies",
                                                .cors = cors_policy::configured_origins,
                                                .page_headers = "Authorization, Content-Type",
                                                .body = body_kind::json,
                                                .body_limit_bytes = 16UL * 1024,
                                                .body_advice =
                                                    "Report the nearest regions, at most 256.",
                                                .cost = cost_class::cheap,
                                                .allowed = any_token,
                                                .anonymous = anonymous_access::configured};

} // namespace matchcloud::http::rows
