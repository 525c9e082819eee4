#pragma once

#include "model/text/uuid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::actors {

/// The actors that own what operations need; a front forwards to one of them.
enum class owner : std::uint8_t {
  /// Answers where the request is (nobody else is waited for).
  none,
  validator,
  /// Bodies over `large_body_bytes`, on the pool.
  large_validator,
  region_ranking,
  media,
  lobby_export,
  export_download,
  /// The first of `avatar_shard_count`; see `avatar_shard_of`.
  avatar,
};

/// Avatar lists are spread over this many actors, so that a large list holds up few others.
inline constexpr std::size_t avatar_shard_count = 4;
inline constexpr std::size_t owner_count =
    static_cast<std::size_t>(owner::avatar) + avatar_shard_count;

/// Kinds of owners, as metrics and configuration name them: all shards are one.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(owner::avatar) + 1>
    owner_names{"none",  "validator",    "large_validator", "region_ranking",
                "media", "lobby_export", "export_download", "avatar"};

/// Which of `owner_names` an owner is.
constexpr std::size_t kind_of(owner which) noexcept {
  const auto index = static_cast<std::size_t>(which);
  return index < owner_names.size() ? index : owner_names.size() - 1;
}

/// The shard that owns a game's avatars. Always the same for a game.
inline owner avatar_shard_of(const model::uuid& game_id) noexcept {
  // The random bits of a UUID are at its end.
  const auto shard = game_id.bytes.back() % avatar_shard_count;
  return static_cast<owner>(static_cast<std::size_t>(owner::avatar) + shard);
}

/// Larger bodies are validated on the pool, so that a loop never stops for long.
inline constexpr std::size_t large_body_bytes = 64 * 1024;

} // namespace matchcloud::actors
