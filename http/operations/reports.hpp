#pragma once

#include "http/operations/operation.hpp"

/// Reports about the running process.
namespace matchcloud::http::rows {

inline constexpr operation_row get_metrics{
    .plane = plane::ops,
    .path = "/metrics",
    .allowed = {token_kind::admin, token_kind::viewer, token_kind::metrics}};

inline constexpr operation_row list_actors{
    .plane = plane::ops, .path = "/actors", .allowed = observers};

inline constexpr operation_row watch_status{
    .plane = plane::ops, .path = "/events", .allowed = observers};

inline constexpr operation_row list_places{
    .plane = plane::ops, .path = "/v1/places", .allowed = observers};

} // namespace matchcloud::http::rows
