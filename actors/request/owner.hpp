#pragma once

#include "base/limits.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::actors {

/// The kinds of owners; a front forwards each operation to one of them.
enum class owner_kind : std::uint8_t {
  /// The front answers by itself, without waiting for another actor.
  none,
  validator,
  /// Validates bodies over `large_body_bytes`, and those with more findings than
  /// `brief_findings_limit`, on the actors' pool.
  large_validator,
  region_ranking,
  media,
  lobby_export,
  export_download,
  avatar,
  // Owners of the ops plane.
  ingestion,
  administration,
  fault_control,
  reports,
};

/// The number of actors that avatar lists are spread over, so that a large list delays few others.
inline constexpr std::size_t avatar_shard_count = 4;

struct owner_row {
  owner_kind kind = owner_kind::none;
  /// The name in metrics and configuration; empty for none.
  std::string_view name;
  /// The number of actors that share what is owned, each with a part of its own.
  std::size_t shards = 1;
  /// The limit on requests that may wait for one of the actors, per event loop.
  std::size_t base::limits::*mailbox = nullptr;
};

/// All kinds, in the order of `owner_kind`.
inline constexpr std::array owner_rows{
    owner_row{},
    owner_row{owner_kind::validator, "validator", 1, &base::limits::validator_mailbox},
    owner_row{owner_kind::large_validator, "large_validator", 1,
              &base::limits::large_validator_mailbox},
    owner_row{owner_kind::region_ranking, "region_ranking", 1,
              &base::limits::region_ranking_mailbox},
    owner_row{owner_kind::media, "media", 1, &base::limits::media_mailbox},
    owner_row{owner_kind::lobby_export, "lobby_export", 1, &base::limits::lobby_export_mailbox},
    owner_row{owner_kind::export_download, "export_download", 1,
              &base::limits::export_download_mailbox},
    owner_row{owner_kind::avatar, "avatar", avatar_shard_count, &base::limits::avatar_mailbox},
    owner_row{owner_kind::ingestion, "ingestion", 1, &base::limits::ingestion_mailbox},
    owner_row{owner_kind::administration, "administration", 1,
              &base::limits::administration_mailbox},
    owner_row{owner_kind::fault_control, "fault_control", 1, &base::limits::fault_control_mailbox},
    owner_row{owner_kind::reports, "reports", 1, &base::limits::reports_mailbox}};

constexpr const owner_row& row_of(owner_kind kind) noexcept {
  return owner_rows[static_cast<std::size_t>(kind)];
}

/// An owner: its kind and its shard.
struct owner {
  owner_kind kind = owner_kind::none;
  /// Less than `row_of(kind).shards`.
  std::uint8_t shard = 0;

  friend constexpr bool operator==(const owner&, const owner&) = default;

  static const owner none;
  static const owner validator;
  static const owner large_validator;
  static const owner region_ranking;
  static const owner media;
  static const owner lobby_export;
  static const owner export_download;
  static const owner ingestion;
  static const owner administration;
  static const owner fault_control;
  static const owner reports;
  static constexpr owner avatar(std::size_t shard) noexcept;
};

inline constexpr owner owner::none{owner_kind::none};
inline constexpr owner owner::validator{owner_kind::validator};
inline constexpr owner owner::large_validator{owner_kind::large_validator};
inline constexpr owner owner::region_ranking{owner_kind::region_ranking};
inline constexpr owner owner::media{owner_kind::media};
inline constexpr owner owner::lobby_export{owner_kind::lobby_export};
inline constexpr owner owner::export_download{owner_kind::export_download};
inline constexpr owner owner::ingestion{owner_kind::ingestion};
inline constexpr owner owner::administration{owner_kind::administration};
inline constexpr owner owner::fault_control{owner_kind::fault_control};
inline constexpr owner owner::reports{owner_kind::reports};
constexpr owner owner::avatar(std::size_t shard) noexcept {
  return {owner_kind::avatar, static_cast<std::uint8_t>(shard)};
}

/// For each kind, the number of owners of the kinds before it.
inline constexpr auto owners_before = [] {
  std::array<std::size_t, owner_rows.size() + 1> before{};
  for (std::size_t i = 0; i < owner_rows.size(); ++i)
    before[i + 1] = before[i] + owner_rows[i].shards;
  return before;
}();
inline constexpr std::size_t owner_count = owners_before.back();

/// The position of an owner among all owners, for arrays with one entry per owner. The shards of a
/// kind are adjacent.
constexpr std::size_t index_of(owner which) noexcept {
  return owners_before[static_cast<std::size_t>(which.kind)] + which.shard;
}

/// Every owner at its `index_of`.
inline constexpr auto all_owners = [] {
  std::array<owner, owner_count> all;
  for (const auto& row : owner_rows)
    for (std::size_t shard = 0; shard < row.shards; ++shard) {
      const owner each{row.kind, static_cast<std::uint8_t>(shard)};
      all[index_of(each)] = each;
    }
  return all;
}();

static_assert(
    [] {
      for (std::size_t i = 0; i < owner_rows.size(); ++i)
        if (static_cast<std::size_t>(owner_rows[i].kind) != i || owner_rows[i].shards == 0)
          return false;
      for (std::size_t i = 0; i < owner_count; ++i)
        if (index_of(all_owners[i]) != i) return false;
      return true;
    }(),
    "the table of owners is not whole");

/// The shard that owns a game's avatars; always the same for a game.
inline owner avatar_shard_of(const model::uuid& game_id) noexcept {
  // The random bits of a UUID are at its end.
  return owner::avatar(game_id.bytes.back() % avatar_shard_count);
}

/// Larger bodies are validated on the actors' pool, so that they do not stall an event loop: the
/// usual ones of this size take it some 100 us.
inline constexpr std::size_t large_body_bytes = 16 * 1024;
/// So are those with more findings, of which each takes about a microsecond.
inline constexpr std::size_t brief_findings_limit = 64;

} // namespace matchcloud::actors
