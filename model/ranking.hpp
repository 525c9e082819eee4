#pragma once

#include "model/catalog.hpp"

#include <optional>
#include <span>
#include <string>
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

/// What a region's JSON says to every client alike, up to its distance: a cache renders it once per
/// catalog. `append_region_tail` must follow.
void append_region_head(std::string& out, const region& where);

/// The distance in both units, and the end of the region's object. `distance_m` in metres.
void append_region_tail(std::string& out, double distance_m);

/// The response of `regions.list`, `{"regions":[..]}`; numbers with at most 3 decimals for
/// distances, coordinates as shortest round-trip.
std::string render_regions(std::span<const ranked_region> ranked);

} // namespace matchcloud::model
