#pragma once

#include "http/operations/operation.hpp"

/// The OpenAPI documents, and the pages of the console with their files.
namespace matchcloud::http::rows {

inline constexpr operation_row get_openapi{.path = "/openapi.json",
                                           .cors = cors_policy::any_origin,
                                           .page_headers = "If-None-Match",
                                           .cost = cost_class::cheap,
                                           .anonymous = anonymous_access::yes};

inline constexpr operation_row get_ops_openapi{.plane = plane::ops,
                                               .path = "/openapi.json",
                                               .cost = cost_class::cheap,
                                               .anonymous = anonymous_access::yes};

inline constexpr operation_row get_data_openapi{.plane = plane::ops,
                                                .path = "/data/openapi.json",
                                                .cost = cost_class::cheap,
                                                .anonymous = anonymous_access::yes};

inline constexpr operation_row get_console{.plane = plane::ops,
                                           .path = "/",
                                           .cost = cost_class::cheap,
                                           .anonymous = anonymous_access::yes};

inline constexpr operation_row get_reference{.plane = plane::ops,
                                             .path = "/docs",
                                             .cost = cost_class::cheap,
                                             .anonymous = anonymous_access::yes};

inline constexpr operation_row get_console_file{.plane = plane::ops,
                                                .path = "/assets/{asset}",
                                                .cost = cost_class::cheap,
                                                .anonymous = anonymous_access::yes};

} // namespace matchcloud::http::rows
