#pragma once

#include "model/catalog/catalog.hpp"

#include <span>

namespace matchcloud::model {

/// The length in meters of the great circle, on a sphere: 0.5 % from `geodesic_distance_m` at
/// most, in a twentieth of the time. For statistics, not for people.
double great_circle_m(const coordinates& a, const coordinates& b) noexcept;

/// The least round trip over a distance: light in glass (refractive index 1.468) is at 204 km per
/// ms, and there and back takes twice that.
double least_round_trip_ms(double distance_m) noexcept;

/// What a round trip takes by distance alone: a line, so that it keeps the order of distances.
struct distance_prior {
  double base_ms = 5;
  /// Until data comes: half as long again as the least.
  double ms_per_1000_km = 15;
  /// The variance of the logarithm of what places have, relative to the line.
  double variance = 0.16;

  double at(double distance_m) const noexcept {
    return base_ms + ms_per_1000_km * distance_m / 1e6;
  }
};

/// What a place has of a region.
struct prior_sample {
  double distance_m = 0;
  double milliseconds = 0;
  /// 0 to 1.
  double weight = 0;
};

/// Fits the line to samples: least squares of relative errors, in which large ones count less
/// (Huber). With few samples it stays near the line that nothing has been learned for.
distance_prior fit_prior(std::span<const prior_sample> samples);

} // namespace matchcloud::model
