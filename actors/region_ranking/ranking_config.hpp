#pragma once

#include "base/config_row.hpp"
#include "model/catalog/catalog.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::actors {

/// The order of listings.
enum class ranking_order : std::uint8_t { distance, latency };
inline constexpr std::array<std::string_view, 2> ranking_order_names{"distance", "latency"};

struct ranking_config {
  ranking_order rank_by = ranking_order::distance;
  /// The namespace of listings whose origin names none; without it they list all regions.
  std::optional<model::uuid> default_namespace = {};
  /// The location assumed for clients whose location is unknown; without it all their distances are
  /// 0.
  std::optional<model::coordinates> fallback = {};
  bool counts_places = true;
  /// The cache for listings; up to `compressed_part` of it for their compressed forms, and up to
  /// `distances_part` more for distances of groups.
  std::size_t cache_limit_bytes = 64UL * 1024 * 1024;
};

inline base::config_rows<ranking_config> ranking_keys() {
  using kind = base::config_text::kind;
  using order_word = std::pair<std::string_view, ranking_order>;
  return {
      base::choice_row("rank-by", &ranking_config::rank_by,
                       std::array{order_word{"distance", ranking_order::distance},
                                  order_word{"latency", ranking_order::latency}},
                       "What listings of regions are ordered by: the distance from the player's "
                       "place, or the latency that is predicted from what players report. Regions "
                       "that the client names in `rtt` come first either way."),
      base::parsed_row(
          {"default-namespace", kind::text, "", "a namespace's UUID; empty: none",
           "The namespace of a listing whose Origin says nothing. None: all regions."},
          &ranking_config::default_namespace,
          [](const base::config_values& given) { return model::parse_uuid(given.front()); }),
      base::parsed_row({"fallback-location", kind::list, "", "LATITUDE,LONGITUDE in degrees",
                        "Where a client of unknown location is taken to be. None: all its "
                        "distances are 0."},
                       &ranking_config::fallback,
                       [](const base::config_values& given) {
                         return given.size() == 2 ? model::parse_coordinates(given[0], given[1])
                                                  : std::nullopt;
                       }),
      base::flag_row("count-places", &ranking_config::counts_places,
                     "Whether requests for listings are counted by where they come from, in cells "
                     "of 5 degrees, for the console."),
      base::number_row("ranking-cache-bytes", &ranking_config::cache_limit_bytes, 0, base::tebibyte,
                       "Memory per event loop for rankings by location (order and distances), an "
                       "eighth of it for compressed listings. Groups take up to a sixteenth more "
                       "for distances of their members."),
  };
}

} // namespace matchcloud::actors
