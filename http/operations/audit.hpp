#pragma once

#include "http/operations/operation.hpp"

/// The audit log.
namespace matchcloud::http::rows {

inline constexpr operation_row list_audit{.plane = plane::ops,
                                          .path = "/v1/audit",
                                          .allowed = administrators,
                                          .needs_token_on_loopback = true};

} // namespace matchcloud::http::rows
