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

/// A region and the distance of its datacenter from the client.
struct ranked_region {
  const region* where = nullptr;
  /// Meters along the WGS-84 geodesic; 0 if the client's location is unknown.
  double distance_m = 0;
};

/// The length in meters of the shortest path on the WGS-84 ellipsoid (GeographicLib, Karney 2013),
/// exact to nanometers, even near antipodes.
double geodesic_distance_m(const coordinates& a, const coordinates& b);

/// Sorts the regions by unrounded distance, then by region_id. Without a client location all
/// distances are 0.
std::vector<ranked_region> rank_regions(std::span<const region* const> regions,
                                        const std::optional<coordinates>& client);

/// The regions open to a namespace, in ascending order of id: those of its own list that the
/// catalog has, or all.
std::vector<const region*> regions_of(const catalog& snapshot, const game_namespace* where);

/// A part of a text, up to but not including `end`.
struct text_range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Appends the part of a region's JSON that is the same for all clients, up to its distance in
/// kilometers. A cache renders it once per catalog. Returns where its values are (without quotation
/// marks), relative to the previous end of `out`: id, name, provider, latitude, longitude.
std::array<text_range, 5> append_region_head(std::string& out, const region& where);

/// Appends `distance_m`, in meters, as a JSON number of that unit with at most 3 decimals.
void append_kilometers(std::string& out, double distance_m);
void append_miles(std::string& out, double distance_m);

/// The text around regions and their distances in the response to a request for regions.
inline constexpr std::string_view listing_begin = R"({"regions":[)";
inline constexpr std::string_view listing_end = "]}";
inline constexpr std::string_view distance_begin =
    R"(,"datacenter_distance_from_client":{"kilometers":)";
inline constexpr std::string_view between_units = R"(,"miles":)";
inline constexpr std::string_view region_end = "}}";

} // namespace matchcloud::model
