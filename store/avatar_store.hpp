#pragma once

#include "base/expected.hpp"
#include "model/avatars/avatar.hpp"
#include "store/object_name.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace matchcloud::store {

/// The outcome of putting one record.
enum class put_outcome : std::uint8_t {
  added,
  changed,
  /// An equal record is stored already, so the revision does not move.
  unchanged,
  /// The record's game is not in the store; the record was not written.
  game_unknown,
  /// The record's id already belongs to another game; the record was not written.
  of_other_game,
};

/// The role of custom avatars. See `session` for what the calls of all roles have in common.
class avatar_store {
public:
  virtual ~avatar_store() = default;

  /// Calls `take` for each avatar of a game, newest first, then by upload id, until it returns
  /// false. Returns the revision of what was read. Reads in one transaction.
  virtual base::expected<std::int64_t>
  read(const model::uuid& game_id, const std::function<bool(const model::avatar&)>& take) = 0;
  /// Adds or replaces avatars by upload id in one transaction; a few hundred per call keep it
  /// short. Returns the outcomes in the order of `avatars`.
  virtual base::expected<std::vector<put_outcome>> put(std::span<const model::avatar> avatars) = 0;
  /// Returns what `put` would do now. Writes nothing.
  virtual base::expected<std::vector<put_outcome>>
  check(std::span<const model::avatar> avatars) = 0;
  /// Called with an image, and whether its avatar has it. Otherwise another one has replaced it,
  /// and it may still exist.
  using take_image = std::function<bool(const image_key&, bool is_current)>;
  /// Calls `take` for the image of each avatar that has one, and for those that were replaced, in
  /// no particular order, until it returns false. Includes removed games, but not avatars of erased
  /// ones.
  virtual base::expected<void> read_images(const take_image& take) = 0;
  /// Whether an avatar of a game that is not erased has this image, or had it until less than
  /// `replaced_for` ago.
  virtual base::expected<bool> has_image(const image_key& key,
                                         std::chrono::milliseconds replaced_for) = 0;
};

} // namespace matchcloud::store
