#pragma once

#include "model/catalog/catalog.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// A region and how far its datacenter is from the client.
struct ranked_region {
  const region* where = nullptr;
  /// Metres along the WGS-84 geodesic; 0 where the client's location is unknown.
  double distance_m = 0;
};

/// Metres of the shortest path on the WGS-84 ellipsoid (GeographicLib, Karney 2013), exact to
/// nanometres also near antipodes.
double geodesic_distance_m(const coordinates& a, const coordinates& b);

/// The regions by unrounded distance, then region_id. Without a client location all distances are
/// 0.
std::vector<ranked_region> rank_regions(std::span<const region* const> regions,
                                        const std::optional<coordinates>& client);

/// The regions open to a namespace: its own list's known ones, or all. In ascending order of id.
std::vector<const region*> regions_of(const catalog& snapshot, const game_namespace* where);

/// A part of a text.
struct text_range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What a region's JSON says to every client alike, up to its distance in kilometers: a cache
/// renders it once per catalog. Where the values of its own are (without quotation marks), from
/// where `out` ended: id, name, provider, latitude, longitude.
std::array<text_range, 5> append_region_head(std::string& out, const region& where);

/// `distance_m`, in metres, as a JSON number with at most 3 decimals.
void append_kilometers(std::string& out, double distance_m);
void append_miles(std::string& out, double distance_m);

/// What stands around regions and their distances.
inline constexpr std::string_view listing_begin = R"({"regions":[)";
inline constexpr std::string_view listing_end = "]}";
inline constexpr std::string_view between_units = R"(,"miles":)";
inline constexpr std::string_view region_end = "}}";

/// The response of `regions.list`, `{"regions":[..]}`; numbers with at most 3 decimals for
/// distances, coordinates as shortest round-trip.
std::string render_regions(std::span<const ranked_region> ranked);

} // namespace matchcloud::model
