#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"

#include <string_view>

namespace matchcloud::model {

/// The id of the game that a person means: `text` is an id, also of a game that the catalog does
/// not have, or a name as it is written, or else one that differs only in the case of A to Z. Fails
/// with `game_not_found` unless one game has that name; the detail says which come close.
base::expected<uuid> find_meant_game(const catalog& in, std::string_view text);

} // namespace matchcloud::model
