#pragma once

#include "http/operations/operation.hpp"

/// Injected faults.
namespace matchcloud::http::rows {

inline constexpr operation_row list_faults{
    .plane = plane::ops, .path = "/faults", .needs_fault_injection = true, .allowed = observers};

inline constexpr operation_row clear_faults{.plane = plane::ops,
                                            .method = method::del,
                                            .path = "/faults",
                                            .needs_fault_injection = true,
                                            .allowed = administrators};

inline constexpr operation_row get_fault{.plane = plane::ops,
                                         .path = "/faults/{point}",
                                         .needs_fault_injection = true,
                                         .allowed = observers};

inline constexpr operation_row put_fault{.plane = plane::ops,
                                         .method = method::put,
                                         .path = "/faults/{point}",
                                         .needs_fault_injection = true,
                                         .body = body_kind::json,
                                         .takes_any_type = true,
                                         .body_limit_bytes = 4UL * 1024,
                                         .body_advice = "A rule has a few short members.",
                                         .allowed = administrators};

inline constexpr operation_row clear_fault{.plane = plane::ops,
                                           .method = method::del,
                                           .path = "/faults/{point}",
                                           .needs_fault_injection = true,
                                           .allowed = administrators};

} // namespace matchcloud::http::rows
