#pragma once

#include "http/operations/operation.hpp"

/// The pages of the console and their files.
namespace matchcloud::http::rows {

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
