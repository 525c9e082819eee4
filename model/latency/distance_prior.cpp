#include "model/latency/distance_prior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace matchcloud::model {

namespace {

constexpr double mean_radius_m = 6'371'008.8;
constexpr double glass_m_per_ms = 299'792.458 / 1.468;
/// How many places the first line counts as.
constexpr double assumed_samples = 5;
constexpr int passes = 4;
/// Logarithms farther off than this count less.
constexpr double usual_error = 0.3;
/// The limits of lines that are possible on Earth.
constexpr double lowest_base_ms = 0.5;
constexpr double highest_base_ms = 60;
constexpr double lowest_slope = 9.8;
constexpr double highest_slope = 60;

/// Sums of a weighted regression of milliseconds on 1,000 km.
struct regression {
  double weight = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;

  void add(double at, double value, double by) noexcept {
    weight += by;
    x += by * at;
    y += by * value;
    xx += by * at * at;
    xy += by * at * value;
  }
};

double weight_of(double error) noexcept {
  return std::min(1.0, usual_error / std::max(1e-9, std::abs(error)));
}

} // namespace

double great_circle_m(const coordinates& a, const coordinates& b) noexcept {
  constexpr double radians = std::numbers::pi / 180;
  const double north = std::sin((a.latitude - b.latitude) * radians / 2);
  const double east = std::sin((a.longitude - b.longitude) * radians / 2);
  const double chord =
      north * north + std::cos(a.latitude * radians) * std::cos(b.latitude * radians) * east * east;
  return 2 * mean_radius_m * std::asin(std::min(1.0, std::sqrt(chord)));
}

double least_round_trip_ms(double distance_m) noexcept {
  return 2 * distance_m / glass_m_per_ms;
}

bool can_be_measured(double milliseconds, double distance_m) noexcept {
  return milliseconds > 0 &&
         milliseconds >= least_round_trip_ms(std::max(0.0, distance_m - misplaced_m));
}

bool can_be_measured(double milliseconds, const std::optional<coordinates>& from,
                     const coordinates& to) noexcept {
  return can_be_measured(milliseconds, from ? great_circle_m(*from, to) : 0);
}

distance_prior fit_prior(std::span<const prior_sample> samples) {
  distance_prior prior;
  for (int pass = 0; pass < passes; ++pass) {
    regression sums;
    for (const double at : {0.5, 5.0}) { // 1,000 km
      const double assumed = distance_prior{}.at(at * 1e6);
      sums.add(at, assumed, assumed_samples / 2 / (assumed * assumed));
    }
    for (const auto& each : samples) {
      const double expected = prior.at(each.distance_m);
      const double error = std::log(std::max(each.milliseconds, 0.1) / expected);
      sums.add(each.distance_m / 1e6, each.milliseconds,
               each.weight * weight_of(error) / (expected * expected));
    }
    const double slope =
        (sums.weight * sums.xy - sums.x * sums.y) / (sums.weight * sums.xx - sums.x * sums.x);
    prior.ms_per_1000_km = std::clamp(slope, lowest_slope, highest_slope);
    prior.base_ms = std::clamp((sums.y - prior.ms_per_1000_km * sums.x) / sums.weight,
                               lowest_base_ms, highest_base_ms);
  }
  return prior;
}

} // namespace matchcloud::model
