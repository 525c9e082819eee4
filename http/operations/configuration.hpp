#pragma once

#include "http/operations/operation.hpp"

/// What the service is configured with.
namespace matchcloud::http::rows {

inline constexpr operation_row get_config{
    .plane = plane::ops, .path = "/v1/config", .cost = cost_class::cheap, .allowed = observers};

} // namespace matchcloud::http::rows
