#pragma once

#include "http/operations/operation.hpp"

/// Listings of regions, what players measure them with, and how a listing came about.
namespace matchcloud::http::rows {

inline constexpr operation_row list_regions{
    .load_name = "regions",
    .path = "/matchmaker/regions",
    .cors = cors_policy::configured_origins,
    .preflight = "Access-Control-Allow-Methods: GET, HEAD\r\n"
                 "Access-Control-Allow-Headers: Authorization, If-None-Match, "
                 "X-Request-Id\r\n"
                 "Access-Control-Max-Age: 86400\r\n",
    .cost = cost_class::cheap,
    .allowed = {token_kind::player},
    .anonymous = anonymous_access::configured};

inline constexpr operation_row ping{.path = "/ping",
                                    .cors = cors_policy::anybody,
                                    .preflight = "Access-Control-Allow-Origin: *\r\n"
                                                 "Access-Control-Allow-Methods: GET, HEAD\r\n"
                                                 "Access-Control-Allow-Headers: *\r\n"
                                                 "Access-Control-Max-Age: 86400\r\n",
                                    .cost = cost_class::cheap,
                                    .allowed = {token_kind::player},
                                    .anonymous = anonymous_access::configured};

inline constexpr operation_row get_ranking{
    .plane = plane::ops, .path = "/v1/ranking", .allowed = observers};

inline constexpr operation_row list_places{
    .plane = plane::ops, .path = "/v1/places", .allowed = observers};

} // namespace matchcloud::http::rows
