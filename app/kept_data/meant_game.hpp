#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/database.hpp"

#include <string>

namespace matchcloud::app {

/// A game that a person named by its id or its name.
struct meant_game {
  model::uuid game_id;
  /// Empty: the catalog does not have it.
  std::string name;

  /// `game 00000000-.. "Demo Game"`
  std::string describe() const;
};

/// Finds a game in a store's catalog. Fails like `model::find_meant_game`; an id need not be there.
base::expected<meant_game> find_game(store::database& in, const std::string& text);

} // namespace matchcloud::app
