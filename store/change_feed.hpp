#pragma once

#include "base/expected.hpp"
#include "store/moved_games.hpp"

#include <cstdint>

namespace matchcloud::store {

/// The role of noticing what others commit. A feed remembers where its caller last looked: it is
/// held by one caller for as long as that wants to know, and nobody has it afterwards. What any
/// role's calls have in common stands at `session`.
class change_feed {
public:
  virtual ~change_feed() = default;

  /// Whether anybody, of this or any process, may have committed since the last call; true on the
  /// first call. Who begins to read afterwards, in whatever session, reads what was committed.
  /// Cheap, whatever the store holds: for polling.
  virtual base::expected<bool> changed() = 0;
  /// Games of which avatars or lobbies moved beyond the revision `known`; below 0: any may have.
  /// Cost grows with the games that moved.
  virtual base::expected<moved_games> moved_games_since(game_subject subject,
                                                        std::int64_t known) = 0;
};

} // namespace matchcloud::store
