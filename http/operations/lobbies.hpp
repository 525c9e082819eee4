#pragma once

#include "http/operations/operation.hpp"

/// Reports of lobbies, and what is known of them.
namespace matchcloud::http::rows {

inline constexpr operation_row ingest_lobbies{.plane = plane::ops,
                                              .method = method::post,
                                              .path = "/v1/lobbies",
                                              .body = body_kind::json_lines,
                                              .body_limit_bytes = 4UL * 1024 * 1024 * 1024,
                                              .body_advice = "Send the rest in another request.",
                                              .deadline = &http::limits::ingest_timeout,
                                              .allowed = administrators};

inline constexpr operation_row survey_lobbies{.plane = plane::ops,
                                              .path = "/v1/games/{game_id}/lobbies",
                                              .deadline = &http::limits::export_timeout,
                                              .allowed = observers};

inline constexpr operation_row list_running_lobbies{.plane = plane::ops,
                                                    .path = "/v1/games/{game_id}/lobbies/running",
                                                    .deadline = &http::limits::export_timeout,
                                                    .allowed = observers};

inline constexpr operation_row get_lobby{.plane = plane::ops,
                                         .path = "/v1/games/{game_id}/lobbies/{lobby_id}",
                                         .deadline = &http::limits::export_timeout,
                                         .allowed = observers};

} // namespace matchcloud::http::rows
