#pragma once

#include "http/operations/operation.hpp"

/// Administration of tokens.
namespace matchcloud::http::rows {

inline constexpr operation_row list_tokens{.plane = plane::ops,
                                           .path = "/v1/tokens",
                                           .allowed = administrators,
                                           .needs_token_on_loopback = true};

inline constexpr operation_row create_token{.plane = plane::ops,
                                            .method = method::post,
                                            .path = "/v1/tokens",
                                            .body = body_kind::json,
                                            .body_limit_bytes = 4UL * 1024,
                                            .body_advice = "A token has a few short members.",
                                            .allowed = administrators,
                                            .needs_token_on_loopback = true,
                                            .is_repeatable = false};

inline constexpr operation_row get_token{.plane = plane::ops,
                                         .path = "/v1/tokens/{token_id}",
                                         .allowed = administrators,
                                         .needs_token_on_loopback = true};

inline constexpr operation_row revoke_token{.plane = plane::ops,
                                            .method = method::del,
                                            .path = "/v1/tokens/{token_id}",
                                            .allowed = administrators,
                                            .needs_token_on_loopback = true,
                                            .is_repeatable = false};

inline constexpr operation_row rotate_token{.plane = plane::ops,
                                            .method = method::post,
                                            .path = "/v1/tokens/{token_id}/rotate",
                                            .body = body_kind::json,
                                            .body_limit_bytes = 4UL * 1024,
                                            .body_advice = "A token has a few short members.",
                                            .allowed = administrators,
                                            .needs_token_on_loopback = true,
                                            .is_repeatable = false};

} // namespace matchcloud::http::rows
