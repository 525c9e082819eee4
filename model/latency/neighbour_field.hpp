#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/distance_prior.hpp"
#include "model/latency/report.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
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

/// The residuals of places, gathered on a grid of 2.5 degrees, so that a guess reads a bounded
/// number of them. Immutable; any thread.
class neighbour_field {
public:
  neighbour_field() = default;
  neighbour_field(std::span<const latency_region> regions, const distance_prior& prior,
                  std::span<const place_residual> places);

  /// Guesses `out[number]` for each region: the mean of the nearest 24 sites, each weighed by
  /// 1 / (1 + (distance / 800 km)^4), as is usual between scattered points (Shepard 1968).
  void guess(const coordinates& where, std::span<neighbour_guess> out) const noexcept;

  /// The variance of a place's residual, relative to its neighbours' guess.
  double variance() const noexcept { return variance_; }
  std::size_t sites() const noexcept { return sites_.size(); }
  /// How far a residual of one region applies to another: 1 for the same region, down to 0.
  float kinship(std::size_t a, std::size_t b) const noexcept { return kinship_[a * regions_ + b]; }
  std::size_t bytes() const noexcept;

private:
  static constexpr std::size_t rows = 72;
  static constexpr std::size_t columns = 144;
  static constexpr std::uint16_t nothing = 0xFFFF;
  struct point {
    float x = 0;
    float y = 0;
    float z = 0;
  };
  struct part {
    float sum = 0;
    float weight = 0;
  };

  static point point_at(const coordinates& where) noexcept;
  void gather(std::span<const place_residual> places);
  void guess_without(std::size_t left_out, const coordinates& where,
                     std::span<neighbour_guess> out) const noexcept;
  double measured_variance(double assumed) const;

  std::size_t regions_ = 0;
  std::array<std::uint16_t, rows * columns> site_at_{};
  std::vector<point> sites_;
  /// The parts of site `s` begin at `s * regions_`.
  std::vector<part> parts_;
  /// The residuals of a site itself, without those of related regions.
  std::vector<part> own_;
  std::vector<float> kinship_;
  double variance_ = distance_prior{}.variance;
};

} // namespace matchcloud::model
