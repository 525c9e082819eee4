#pragma once

#include "model/avatars/avatar.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <optional>

namespace matchcloud::store {

/// The image whose digest and type are in a column and the next one, if there is one.
std::optional<model::image_name> read_image(sql_row& row, int column);
/// The column value of an image type.
std::int64_t image_type_column(model::image_type type) noexcept;

/// The avatar in a row of upload_id, game_id, display_name, create_ts, content_length, complete,
/// image_digest and image_type.
model::avatar read_avatar(sql_row& row);

} // namespace matchcloud::store
