#include "model/latency/neighbour_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr double side_degrees = 2.5;
constexpr float reach = 800.0F * 800.0F / 6'371.0F / 6'371.0F;
/// The weight of a zero residual among neighbours: residuals shrink to 0 if all of them are far.
constexpr float shrinking = 0.03F;
/// Two regions at one place have this much in common, any two regions the other.
constexpr double kin_share = 0.5;
constexpr double any_kin = 0.03;
constexpr double kin_reach_m = 500e3;
constexpr std::size_t wanted_sites = 24;

std::array<float, 3> point_at(const coordinates& where) noexcept {
  constexpr double radians = std::numbers::pi / 180;
  const double across = std::cos(where.latitude * radians);
  return {static_cast<float>(across * std::cos(where.longitude * radians)),
          static_cast<float>(across * std::sin(where.longitude * radians)),
          static_cast<float>(std::sin(where.latitude * radians))};
}

} // namespace

neighbour_field::neighbour_field(std::span<const latency_region> regions,
                                 std::span<const place_residual> places)
    : regions_{regions.size()} {
  std::map<std::pair<double, double>, std::size_t> squares;
  for (const auto& each : places) {
    const auto [square, is_new] =
        squares.try_emplace({std::floor(each.where.latitude / side_degrees),
                             std::floor(each.where.longitude / side_degrees)},
                            sites_.size());
    if (is_new) {
      sites_.push_back(point_at(each.where));
      parts_.resize(parts_.size() + regions_);
    }
    for (std::size_t i = 0; i < regions_; ++i) {
      const double kin =
          i == each.region
              ? 1
              : any_kin + kin_share * std::exp(-great_circle_m(regions[i].where,
                                                               regions[each.region].where) /
                                               kin_reach_m);
      auto& into = parts_[square->second * regions_ + i];
      into.sum += static_cast<float>(kin * each.weight * each.residual);
      into.weight += static_cast<float>(kin * each.weight);
    }
  }
}

void neighbour_field::guess(const coordinates& where,
                            std::span<neighbour_guess> out) const noexcept {
  std::fill(out.begin(), out.end(), neighbour_guess{});
  const auto at = point_at(where);
  // The nearest sites, the farthest of them on top.
  std::array<std::pair<float, std::size_t>, wanted_sites> near;
  std::size_t count = 0;
  for (std::size_t site = 0; site < sites_.size(); ++site) {
    const auto& other = sites_[site];
    const float apart = 2 - 2 * (at[0] * other[0] + at[1] * other[1] + at[2] * other[2]);
    if (count == wanted_sites) {
      if (near[0].first <= apart) continue;
      std::pop_heap(near.begin(), near.begin() + count--);
    }
    near[count++] = {std::max(apart, 0.0F), site};
    std::push_heap(near.begin(), near.begin() + count);
  }
  for (const auto& [apart, site] : std::span{near}.first(count)) {
    const float weight = 1 / (1 + apart / reach * (apart / reach));
    for (std::size_t i = 0; i < std::min(out.size(), regions_); ++i) {
      const auto& part = parts_[site * regions_ + i];
      out[i].residual += weight * part.sum;
      out[i].weight += weight * part.weight;
    }
  }
  for (auto& each : out)
    each.residual /= each.weight + shrinking;
}

} // namespace matchcloud::model
