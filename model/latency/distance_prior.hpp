#pragma once

#include "model/catalog/catalog.hpp"

#include <optional>
#include <span>

namespace matchcloud::model {

/// The length in meters of the great circle on a sphere. It differs from `geodesic_distance_m` by
/// 0.5 % at most and takes a twentieth of the time. For statistics, not for people.
double great_circle_m(const coordinates& a, const coordinates& b) noexcept;

/// The least round trip over a distance: light in glass (refractive index 1.468) travels 204 km per
/// ms, and a round trip takes twice that.
double least_round_trip_ms(double distance_m) noexcept;

/// How much nearer hosts may be than they seem. GeoIP is usually off by some ten kilometers, and
/// hosts are not always where they are said to be.
inline constexpr double misplaced_m = 100e3;

/// Whether a client can have measured a round trip to a region at that assumed distance: it is not
/// 0, as that of a ping that failed, nor faster than light in glass, even if the client is
/// `misplaced_m` nearer.
bool can_be_measured(double milliseconds, double distance_m) noexcept;
/// The same between two places, of which the first may be unknown: then it is more than 0.
bool can_be_measured(double milliseconds, const std::optional<coordinates>& from,
                     const coordinates& to) noexcept;

/// The round trip by distance alone: a line, so that it keeps the order of distances.
struct distance_prior {
  double base_ms = 5;
  /// Until there is data: 1.5 times the least.
  double ms_per_1000_km = 15;

  double at(double distance_m) const noexcept {
    return base_ms + ms_per_1000_km * distance_m / 1e6;
  }
};

/// The round trip between a place and a region.
struct prior_sample {
  double distance_m = 0;
  double milliseconds = 0;
  /// 0 to 1.
  double weight = 0;
};

/// Fits the line to samples: least squares of relative errors, in which large ones count less
/// (Huber). With few samples it stays near the line that holds before anything is learned.
distance_prior fit_prior(std::span<const prior_sample> samples);

} // namespace matchcloud::model
