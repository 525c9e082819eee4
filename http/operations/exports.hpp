#pragma once

#include "http/operations/operation.hpp"

/// Exports of lobby history and their files.
namespace matchcloud::http::rows {

inline constexpr operation_row export_lobby_history{
    .load_name = "export",
    .method = method::post,
    .path = "/cloud/games/{game_id}/matchmaker/lobbies/export-history",
    .body = body_kind::json,
    // The body holds two numbers and stays in memory while the export runs.
    .body_limit_bytes = 16UL * 1024,
    .body_advice = "Send query_start and query_end alone.",
    .deadline = &http::limits::export_timeout,
    .late_advice = "The export was not complete within its time limit. Repeat the request to join "
                   "it if it is still running, or request a shorter span.",
    .allowed = {token_kind::game},
    .is_about_game = true};

inline constexpr operation_row start_export{
    .plane = plane::ops,
    .method = method::post,
    .path = "/v1/games/{game_id}/exports",
    .body = body_kind::json,
    .body_limit_bytes = 16UL * 1024,
    .body_advice = "Send query_start and query_end alone.",
    .deadline = &http::limits::export_timeout,
    .late_advice = "The export was not complete within its time limit. Repeat the request to join "
                   "it if it is still running, or request a shorter span.",
    .allowed = observers};

inline constexpr operation_row list_exports{
    .plane = plane::ops, .path = "/v1/exports", .allowed = observers};

inline constexpr operation_row download_export{.path = "/exports/{export_id}/lobby-history.csv",
                                               .anonymous = anonymous_access::yes,
                                               .hides_query = true};

inline constexpr operation_row download_own_export{.plane = plane::ops,
                                                   .path = "/exports/{export_id}/lobby-history.csv",
                                                   .anonymous = anonymous_access::yes,
                                                   .hides_query = true};

} // namespace matchcloud::http::rows
