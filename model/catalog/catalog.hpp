#pragma once

#include "base/error.hpp"
#include "base/expected.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// A point on the WGS-84 ellipsoid.
struct coordinates {
  /// Degrees, -90 to 90.
  double latitude = 0;
  /// Degrees, -180 to 180.
  double longitude = 0;

  friend bool operator==(const coordinates&, const coordinates&) = default;
};

/// A datacenter where lobbies run.
struct region {
  /// 1 to 32 of a-z, 0-9 and -.
  std::string region_id;
  std::string region_display_name;
  std::string provider_display_name;
  coordinates datacenter_coord;
  /// Where clients measure the latency to the region; empty: nowhere. See `is_ping_url`. Listings
  /// include it for `fields=ping_url`.
  std::string ping_url = {};

  friend bool operator==(const region&, const region&) = default;
};

/// The longest time that history is kept, other than forever.
inline constexpr std::int64_t retention_limit_days = 36'500;

struct game {
  uuid game_id;
  std::string display_name;
  /// Days that its lobbies are kept after they stop. Nothing: as configured; 0: forever.
  std::optional<std::int64_t> retention_days = {};

  friend bool operator==(const game&, const game&) = default;
};

/// An environment of a game (production, staging), with its web domains and its regions.
struct game_namespace {
  uuid namespace_id;
  uuid game_id;
  std::string name;
  /// Host names whose pages may act for this namespace, lower case.
  std::vector<std::string> domains;
  /// If absent, every region of the catalog.
  std::optional<std::vector<std::string>> regions;

  friend bool operator==(const game_namespace&, const game_namespace&) = default;
};

/// The games, namespaces, regions and tiers at one revision. Immutable once built, and shared
/// between threads as `catalog_snapshot`. Every list is in ascending order of its id, including the
/// lists inside a namespace, so that the lookups below are binary searches and output does not
/// depend on insertion order.
struct catalog {
  /// A registered domain and the position of its namespace.
  struct domain_owner {
    std::string domain;
    std::size_t position = 0;
  };

  std::int64_t revision = 0;
  std::vector<region> regions;
  std::vector<std::string> tiers;
  std::vector<game> games;
  std::vector<game_namespace> namespaces;
  /// The domains of all namespaces in ascending order, as built by `index_domains`.
  std::vector<domain_owner> domain_owners;

  /// Builds `domain_owners`. Call when `namespaces` is complete.
  void index_domains();

  /// Lookups by id; null if there is none. O(log n).
  const region* find_region(std::string_view region_id) const noexcept;
  const game* find_game(const uuid& game_id) const noexcept;
  const game_namespace* find_namespace(const uuid& namespace_id) const noexcept;
  /// The namespace that registered `domain` (lower-case host name without port); null if there is
  /// none. O(log n).
  const game_namespace* find_namespace_of_domain(std::string_view domain) const noexcept;

  /// The namespace whose regions a client gets: that of its token, else the one that registered the
  /// host of its page (empty: none), else `preset`, which may be null.
  const game_namespace* namespace_of_client(const std::optional<uuid>& of_token,
                                            std::string_view origin_host,
                                            const game_namespace* preset) const noexcept;

  /// Compares everything but the index, which follows from the rest.
  friend bool operator==(const catalog& a, const catalog& b);
};

using catalog_snapshot = std::shared_ptr<const catalog>;

/// A `game_not_found` error for a client that sent this id.
base::error no_such_game(const uuid& game_id);

/// The tiers of a new catalog.
const std::vector<std::string>& default_tiers();

/// Whether the coordinates are those of a place; NaN is not.
constexpr bool is_on_earth(const coordinates& at) noexcept {
  return at.latitude >= -90 && at.latitude <= 90 && at.longitude >= -180 && at.longitude <= 180;
}

/// Reads two decimal numbers of degrees. Returns nothing if either text is anything else, or if
/// they are out of range.
std::optional<coordinates> parse_coordinates(std::string_view latitude,
                                             std::string_view longitude) noexcept;

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
