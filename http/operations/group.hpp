#pragma once

#include "http/operations/operation.hpp"

/// Regions for several players together.
namespace matchcloud::http::rows {

inline constexpr operation_row rank_group{
    .method = method::post,
    .path = "/matchmaker/regions/group",
    .cors = cors_policy::configured_origins,
    .page_headers = "Authorization, Content-Type",
    .body = body_kind::json,
    // 64 players with a kilobyte each: enough for an address, an id and 60 latencies.
    .body_limit_bytes = 64UL * 1024,
    .body_advice = "Send at most 64 players, and of each only the lowest latencies.",
    // It takes as much work as one listing per player.
    .cost = cost_class::expensive,
    .allowed = any_token,
    .anonymous = anonymous_access::configured};

} // namespace matchcloud::http::rows
