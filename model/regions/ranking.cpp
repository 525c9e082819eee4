#include "model/regions/ranking.hpp"

#include "model/json/json_writer.hpp"

#include <GeographicLib/Geodesic.hpp>

#include <algorithm>
#include <compare>

namespace matchcloud::model {

namespace {

constexpr double metres_per_kilometer = 1000;
/// The international mile, exact since 1959.
constexpr double kilometers_per_mile = 1.609344;

/// A total order even if distances are NaN, which would break a sort.
bool nearer(const ranked_region& a, const ranked_region& b) noexcept {
  const auto order = std::strong_order(a.distance_m, b.distance_m);
  if (order != 0) return order < 0;
  return a.where->region_id < b.where->region_id;
}

bool lower_id(const region* a, const region* b) noexcept {
  return a->region_id < b->region_id;
}

} // namespace

double geodesic_distance_m(const coordinates& a, const coordinates& b) {
  double metres = 0;
  GeographicLib::Geodesic::WGS84().Inverse(a.latitude, a.longitude, b.latitude, b.longitude,
                                           metres);
  return metres;
}

std::vector<ranked_region> rank_regions(std::span<const region* const> regions,
                                        const std::optional<coordinates>& client) {
  std::vector<ranked_region> ranked;
  ranked.reserve(regions.size());
  for (const auto* where : regions) {
    const double metres = client ? geodesic_distance_m(*client, where->datacenter_coord) : 0;
    ranked.push_back({where, metres});
  }
  std::sort(ranked.begin(), ranked.end(), nearer);
  return ranked;
}

std::vector<const region*> regions_of(const catalog& snapshot, const game_namespace* where) {
  std::vector<const region*> regions;
  if (where == nullptr || !where->regions) {
    regions.reserve(snapshot.regions.size());
    for (const auto& known : snapshot.regions)
      regions.push_back(&known);
    return regions;
  }
  regions.reserve(where->regions->size());
  for (const auto& id : *where->regions)
    if (const auto* known = snapshot.find_region(id)) regions.push_back(known);
  std::sort(regions.begin(), regions.end(), lower_id);
  regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
  return regions;
}

std::array<text_range, 5> append_region_head(std::string& out, const region& where) {
  const auto begin = out.size();
  std::array<text_range, 5> places;
  auto* place = places.data();
  const auto add = [&](std::string_view before, auto append, const auto& value, bool quoted) {
    out.append(before);
    const std::size_t mark = quoted ? 1 : 0;
    place->begin = out.size() + mark - begin;
    append(out, value);
    (place++)->end = out.size() - mark - begin;
  };
  add(R"({"region_id":)", append_json_string, where.region_id, true);
  add(R"(,"region_display_name":)", append_json_string, where.region_display_name, true);
  add(R"(,"provider_display_name":)", append_json_string, where.provider_display_name, true);
  add(R"(,"datacenter_coord":{"latitude":)", append_shortest, where.datacenter_coord.latitude,
      false);
  add(R"(,"longitude":)", append_shortest, where.datacenter_coord.longitude, false);
  out.append(1, '}').append(distance_begin);
  return places;
}

void append_kilometers(std::string& out, double distance_m) {
  append_thousandths(out, distance_m / metres_per_kilometer);
}

void append_miles(std::string& out, double distance_m) {
  append_thousandths(out, distance_m / metres_per_kilometer / kilometers_per_mile);
}

} // namespace matchcloud::model
