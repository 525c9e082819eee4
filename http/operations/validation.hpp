#pragma once

#include "http/operations/operation.hpp"

#include <string_view>

/// Validation of payloads, for clients of the data plane and for operators.
namespace matchcloud::http {

/// Whether `text` names a kind of payload, as paths write it.
bool is_payload_kind(std::string_view text) noexcept;

} // namespace matchcloud::http

namespace matchcloud::http::rows {

inline constexpr operation_row validate_version{.load_name = "versions.validate",
                                                .method = method::post,
                                                .path = "/cloud/games/{game_id}/versions/validate",
                                                .body = body_kind::json,
                                                .cost = cost_class::cheap,
                                                .allowed = {token_kind::game}};

inline constexpr operation_row validate_game{.load_name = "games.validate",
                                             .method = method::post,
                                             .path = "/cloud/games/validate",
                                             .body = body_kind::json,
                                             .cost = cost_class::cheap,
                                             .allowed = {token_kind::studio}};

inline constexpr operation_row validate_group{.load_name = "groups.validate",
                                              .method = method::post,
                                              .path = "/cloud/groups/validate",
                                              .body = body_kind::json,
                                              .cost = cost_class::cheap,
                                              .allowed = {token_kind::studio}};

inline constexpr operation_row validate_payload{.plane = plane::ops,
                                                .method = method::post,
                                                .path = "/v1/validate/{payload}",
                                                .names_something = is_payload_kind,
                                                .body = body_kind::json,
                                                .allowed = observers};

inline constexpr operation_row get_schema{.plane = plane::ops,
                                          .path = "/v1/schema/{payload}",
                                          .names_something = is_payload_kind,
                                          .allowed = observers};

} // namespace matchcloud::http::rows
