#pragma once

#include "http/operations/operation.hpp"

/// Lists of avatars and their images.
namespace matchcloud::http::rows {

inline constexpr operation_row list_avatars{.load_name = "avatars",
                                            .path = "/cloud/games/{game_id}/avatars",
                                            .allowed = {token_kind::game},
                                            .is_about_game = true};

inline constexpr operation_row list_game_avatars{
    .plane = plane::ops, .path = "/v1/games/{game_id}/avatars", .allowed = observers};

inline constexpr operation_row download_media{.path = "/media/avatars/{upload_id}/{file_name}",
                                              .cors = cors_policy::any_origin,
                                              .page_headers =
                                                  "If-Match, If-None-Match, If-Range, Range",
                                              .cost = cost_class::cheap,
                                              .anonymous = anonymous_access::yes};

inline constexpr operation_row get_image{
    .plane = plane::ops, .path = "/v1/images/{upload_id}/{file_name}", .allowed = observers};

} // namespace matchcloud::http::rows
