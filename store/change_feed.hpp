#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::store {

struct game_revision {
  model::uuid game_id;
  std::int64_t revision = 0;

  friend bool operator==(const game_revision&, const game_revision&) = default;
};

/// Games whose avatars changed after a known revision.
struct moved_games {
  /// The most games that are listed; if more moved, `all` is set instead.
  static constexpr std::size_t named_limit = 10'000;

  /// The revision up to which changes are known now.
  std::int64_t revision = 0;
  /// The games that moved, in ascending order of revision; empty if `all`.
  std::vector<game_revision> games;
  /// Whether any game may have changed.
  bool all = false;
};

/// The role of noticing other sessions' commits. A feed remembers where its caller last looked, so
/// one caller keeps it for as long as it needs the news, and the session is not reused afterwards.
/// See `session` for what the calls of all roles have in common.
class change_feed {
public:
  virtual ~change_feed() = default;

  /// How late a feed may notice a change: an engine with a server polls at this interval, and
  /// learns of the rare changes (catalog, tokens, avatars) at once.
  static constexpr std::chrono::milliseconds delay_limit{500};

  /// Whether any other session, of this or another process, may have changed the catalog, the
  /// tokens or the avatars since the last call; true on the first call. A read that begins
  /// afterwards, in any session, sees what was committed. Cheap regardless of the store's size, so
  /// suitable for polling. Fails with `store_newer` once a newer program has closed the store to
  /// programs of this version.
  virtual base::expected<bool> changed() = 0;
  /// The games whose avatars moved beyond the revision `known`; if it is negative, any may have
  /// moved. The cost grows with the number of games that moved.
  virtual base::expected<moved_games> moved_games_since(std::int64_t known) = 0;
};

} // namespace matchcloud::store
