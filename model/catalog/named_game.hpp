#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"

#include <string>
#include <string_view>

namespace matchcloud::model {

/// The id of the game that a person means. `text` is an id, even of a game that the catalog does
/// not have, or the name of a game; if no name is equal, one that differs only in the case of A to
/// Z. Fails with `game_not_found` unless exactly one game has that name; the detail names similar
/// ones.
base::expected<uuid> find_meant_game(const catalog& in, std::string_view text);

// For messages: the first ten by name, with their ids, and how many more there are.

/// games: `Ember` (00000000-..), `Tide Turtle` (00000000-..) and 3 more
std::string list_games(const catalog& in);
/// namespaces: `prod` of `Ember` (00000000-..) and 3 more
std::string list_namespaces(const catalog& in);

} // namespace matchcloud::model
