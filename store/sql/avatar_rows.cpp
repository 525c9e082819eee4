#include "store/sql/avatar_rows.hpp"

#include <algorithm>
#include <bit>

namespace matchcloud::store {

std::optional<model::image_name> read_image(sql_row& row, int column) {
  model::image_name image;
  const auto digest = row.blob(column);
  if (digest.size() != image.digest.size()) return std::nullopt;
  std::copy(digest.begin(), digest.end(), image.digest.begin());
  image.type = row.integer(column + 1) == 0 ? model::image_type::png : model::image_type::jpeg;
  return image;
}

model::avatar read_avatar(sql_row& row) {
  model::avatar each;
  each.upload_id = row.uuid(0);
  each.game_id = row.uuid(1);
  each.display_name = row.text(2);
  each.create_ts_ms = row.integer(3);
  each.content_length = std::bit_cast<std::uint64_t>(row.integer(4));
  each.complete = row.integer(5) != 0;
  each.image = read_image(row, 6);
  return each;
}

std::int64_t image_type_column(model::image_type type) noexcept {
  return type == model::image_type::png ? 0 : 1;
}

} // namespace matchcloud::store
