#include "model/latency/neighbour_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace matchcloud::model {

namespace {

constexpr double side_degrees = 2.5;
constexpr double radius_km = 6'371.0088;
constexpr double reach_km = 800;
/// The weight of a zero residual among neighbours: residuals shrink to 0 if all of them are far.
constexpr float shrinking = 0.03F;
/// Two regions at one place have this much in common.
constexpr double kin_share = 0.5;
/// And any two regions have this much, which matters only if nothing nearer is known.
constexpr double any_kin = 0.03;
constexpr double kin_reach_m = 500e3;
constexpr double least_kinship = 0.02;
constexpr std::size_t wanted_sites = 24;
constexpr int farthest_ring = 16;
/// The number of sites that measure the variance, and how many of them the assumed one counts as.
constexpr std::size_t measured_sites = 512;
constexpr double assumed_sites = 10;
/// The most that the square of a single error counts.
constexpr double greatest_error = 1;

std::size_t step_of(double degrees, std::size_t count) noexcept {
  const double step = std::floor(degrees / side_degrees);
  return static_cast<std::size_t>(std::clamp(step, 0.0, static_cast<double>(count - 1)));
}

} // namespace

neighbour_field::point neighbour_field::point_at(const coordinates& where) noexcept {
  constexpr double radians = std::numbers::pi / 180;
  const double across = std::cos(where.latitude * radians);
  return {static_cast<float>(across * std::cos(where.longitude * radians)),
          static_cast<float>(across * std::sin(where.longitude * radians)),
          static_cast<float>(std::sin(where.latitude * radians))};
}

neighbour_field::neighbour_field(std::span<const latency_region> regions,
                                 const distance_prior& prior,
                                 std::span<const place_residual> places)
    : regions_{regions.size()}, variance_{prior.variance} {
  site_at_.fill(nothing);
  kinship_.reserve(regions_ * regions_);
  for (const auto& a : regions)
    for (const auto& b : regions)
      kinship_.push_back(
          &a == &b ? 1.0F
                   : static_cast<float>(
                         any_kin +
                         kin_share * std::exp(-great_circle_m(a.where, b.where) / kin_reach_m)));
  gather(places);
  variance_ = measured_variance(prior.variance);
}

void neighbour_field::gather(std::span<const place_residual> places) {
  for (const auto& each : places) {
    auto& site = site_at_[step_of(each.where.latitude + 90, rows) * columns +
                          step_of(each.where.longitude + 180, columns)];
    if (site == nothing) {
      site = static_cast<std::uint16_t>(sites_.size());
      sites_.emplace_back();
      parts_.resize(parts_.size() + regions_);
      own_.resize(own_.size() + regions_);
    }
    const auto weight = static_cast<float>(each.weight);
    const auto at = point_at(each.where);
    auto& middle = sites_[site];
    middle = {middle.x + weight * at.x, middle.y + weight * at.y, middle.z + weight * at.z};
    const auto residual = static_cast<float>(each.residual);
    for (std::size_t i = 0; i < regions_; ++i) {
      const float share = weight * kinship(each.region, i);
      if (share < weight * static_cast<float>(least_kinship)) continue;
      auto& shared = parts_[site * regions_ + i];
      shared.sum += share * residual;
      shared.weight += share;
    }
    auto& own = own_[site * regions_ + each.region];
    own.sum += weight * residual;
    own.weight += weight;
  }
  for (auto& each : sites_) {
    const float length = std::sqrt(each.x * each.x + each.y * each.y + each.z * each.z);
    if (length > 0) each = {each.x / length, each.y / length, each.z / length};
  }
}

void neighbour_field::guess(const coordinates& where,
                            std::span<neighbour_guess> out) const noexcept {
  guess_without(nothing, where, out);
}

void neighbour_field::guess_without(std::size_t left_out, const coordinates& where,
                                    std::span<neighbour_guess> out) const noexcept {
  std::fill(out.begin(), out.end(), neighbour_guess{});
  if (sites_.empty()) return;
  const auto at = point_at(where);
  const auto count = std::min(out.size(), regions_);
  std::size_t found = 0;
  const auto look = [&](int row, int column) {
    const auto wrapped = static_cast<std::size_t>(column + static_cast<int>(columns)) % columns;
    const auto site = site_at_[static_cast<std::size_t>(row) * columns + wrapped];
    if (site == nothing || site == left_out) return;
    ++found;
    const auto& other = sites_[site];
    constexpr auto reach = static_cast<float>(reach_km * reach_km / radius_km / radius_km);
    const float apart = std::max(0.0F, 2 - 2 * (at.x * other.x + at.y * other.y + at.z * other.z));
    const float weight = 1 / (1 + apart / reach * (apart / reach));
    const auto* const parts = parts_.data() + std::size_t{site} * regions_;
    for (std::size_t i = 0; i < count; ++i) {
      out[i].residual += weight * parts[i].sum;
      out[i].weight += weight * parts[i].weight;
    }
  };
  const auto row = static_cast<int>(step_of(where.latitude + 90, rows));
  const auto column = static_cast<int>(step_of(where.longitude + 180, columns));
  const auto wanted = std::min(wanted_sites, sites_.size() - (left_out == nothing ? 0 : 1));
  for (int ring = 0; ring <= farthest_ring && found < wanted; ++ring)
    for (int i = std::max(0, row - ring); i <= std::min(int{rows} - 1, row + ring); ++i) {
      const bool edge = i == row - ring || i == row + ring;
      for (int j = column - ring; j <= column + ring; j += edge || ring == 0 ? 1 : 2 * ring)
        look(i, j);
    }
  for (auto& each : out.first(count))
    each.residual /= each.weight + shrinking;
}

double neighbour_field::measured_variance(double assumed) const {
  double sum = assumed_sites * assumed;
  double weights = assumed_sites;
  std::vector<neighbour_guess> guesses(regions_);
  const auto step = std::max<std::size_t>(1, sites_.size() / measured_sites);
  for (std::size_t site = 0; site < sites_.size(); site += step) {
    const auto& at = sites_[site];
    constexpr double degrees = 180 / std::numbers::pi;
    guess_without(site, {std::asin(at.z) * degrees, std::atan2(at.y, at.x) * degrees}, guesses);
    for (std::size_t i = 0; i < regions_; ++i) {
      const auto& own = own_[site * regions_ + i];
      if (own.weight <= 0.5F || guesses[i].weight <= 0.1F) continue;
      const double error = static_cast<double>(own.sum / own.weight - guesses[i].residual);
      sum += std::min(error * error, greatest_error);
      weights += 1;
    }
  }
  return std::min(assumed, sum / weights);
}

std::size_t neighbour_field::bytes() const noexcept {
  return sizeof *this + sites_.size() * sizeof(point) +
         (parts_.size() + own_.size()) * sizeof(part) + kinship_.size() * sizeof(float);
}

} // namespace matchcloud::model
