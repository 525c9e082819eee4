#pragma once

#include "http/operations/operation.hpp"

/// How long data is kept, and how it is erased.
namespace matchcloud::http::rows {

inline constexpr operation_row erase_game{.plane = plane::ops,
                                          .method = method::del,
                                          .path = "/v1/games/{game_id}/everything",
                                          .allowed = administrators};

inline constexpr operation_row list_erasures{
    .plane = plane::ops, .path = "/v1/erasures", .allowed = observers};

inline constexpr operation_row remove_avatar{.plane = plane::ops,
                                             .method = method::del,
                                             .path = "/v1/games/{game_id}/avatars/{upload_id}",
                                             .allowed = administrators,
                                             .is_repeatable = false};

inline constexpr operation_row list_retention{
    .plane = plane::ops, .path = "/v1/retention", .allowed = observers};

} // namespace matchcloud::http::rows
