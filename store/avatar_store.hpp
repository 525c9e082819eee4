#pragma once

#include "base/expected.hpp"
#include "model/avatars/avatar.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace matchcloud::store {

/// What became of a record that was put.
enum class put_outcome : std::uint8_t {
  added,
  changed,
  /// It was there already, exactly like this: the revision stays.
  unchanged,
  /// Its game is not in the store; nothing was written for it.
  game_unknown,
  /// Its id belongs to another game; nothing was written for it.
  of_other_game,
};

/// The role of custom avatars. What any role's calls have in common stands at `session`.
class avatar_store {
public:
  virtual ~avatar_store() = default;

  /// Calls `take` for each avatar of a game, newest first, then by upload id, until it returns
  /// false. Returns the revision of what it read: one transaction.
  virtual base::expected<std::int64_t>
  read(const model::uuid& game_id, const std::function<bool(const model::avatar&)>& take) = 0;
  /// Adds or replaces avatars by upload id, in one transaction; a few hundred at once keep it
  /// short. Outcomes stand in the order of `avatars`.
  virtual base::expected<std::vector<put_outcome>> put(std::span<const model::avatar> avatars) = 0;
  /// What `put` would do now. Writes nothing.
  virtual base::expected<std::vector<put_outcome>>
  check(std::span<const model::avatar> avatars) = 0;
};

} // namespace matchcloud::store
