#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/database.hpp"

#include <string>

namespace matchcloud::app {

/// A game that a user named by id or name.
struct meant_game {
  model::uuid game_id;
  /// Empty: it is not in the catalog.
  std::string name;
  /// The games that the catalog has instead, for messages; empty if it has this one.
  std::string others;

  /// `game 00000000-.. "Demo Game"`
  std::string describe() const;
  /// The failure of a change to it, which lists the known games if the catalog does not have it.
  base::error explain(base::error failure) const;
};

/// Finds a game in a store's catalog. Fails like `model::find_meant_game`; an id need not exist.
base::expected<meant_game> find_game(store::database& in, const std::string& text);

} // namespace matchcloud::app
