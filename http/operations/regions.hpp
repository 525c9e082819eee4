#pragma once

#include "http/operations/operation.hpp"

/// Listings of regions, pings for measuring them, and explanations of listings.
namespace matchcloud::http::rows {

inline constexpr operation_row list_regions{
    .load_name = "regions",
    .path = "/matchmaker/regions",
    .cors = cors_policy::configured_origins,
    .page_headers = "Authorization, If-Match, If-None-Match",
    .cost = cost_class::cheap,
    // With any token: clients with a token can call all that clients without one can.
    .allowed = any_token,
    .anonymous = anonymous_access::configured};

inline constexpr operation_row ping{.path = "/ping",
                                    .cors = cors_policy::anybody,
                                    // A star stands for all but this one (Fetch standard, "CORS
                                    // non-wildcard request-header name").
                                    .page_headers = "*, Authorization",
                                    .cost = cost_class::cheap,
                                    .allowed = any_token,
                                    .anonymous = anonymous_access::configured};

inline constexpr operation_row get_ranking{
    .plane = plane::ops, .path = "/v1/ranking", .allowed = observers};

} // namespace matchcloud::http::rows
