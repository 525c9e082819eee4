#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/distance_prior.hpp"
#include "model/latency/report.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::model {

/// A region that latencies are learned for.
struct latency_region {
  std::string region_id;
  coordinates where;

  friend bool operator==(const latency_region&, const latency_region&) = default;
};

/// The residual of a place and a region: the logarithm of its milliseconds over the prior's.
struct place_residual {
  coordinates where;
  std::uint16_t region = 0;
  double residual = 0;
  /// 0 to 1.
  double weight = 0;
};

/// A guess from nearby places.
struct neighbour_guess {
  float residual = 0;
  /// How much is nearby: 1 is one well-known place within some hundred kilometers.
  float weight = 0;
};

/// The residuals of places, gathered in squares of 2.5 degrees. Immutable; any thread.
class neighbour_field {
public:
  neighbour_field() = default;
  neighbour_field(std::span<const latency_region> regions, std::span<const place_residual> places);

  /// Guesses `out[number]` for each region: the mean of the nearest 24 squares, each weighed by
  /// 1 / (1 + (distance / 800 km)^4), as is usual between scattered points (Shepard 1968).
  void guess(const coordinates& where, std::span<neighbour_guess> out) const noexcept;

private:
  struct part {
    float sum = 0;
    float weight = 0;
  };
  using point = std::array<float, 3>;

  std::size_t regions_ = 0;
  std::vector<point> sites_;
  /// The parts of site `s` begin at `s * regions_`.
  std::vector<part> parts_;
};

} // namespace matchcloud::model
