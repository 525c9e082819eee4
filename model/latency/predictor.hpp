#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/voices.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The number of parts of what is known that are published one by one.
inline constexpr std::size_t latency_shard_count = 1'024;

/// The shard of a cell.
std::size_t shard_of(latency_cell cell) noexcept;

/// What is known about a cell. Its voices never change; they are replaced.
struct cell_voices {
  latency_cell cell;
  /// Of the last report.
  std::uint32_t minute = 0;
  std::shared_ptr<const voices> all;
};
/// In ascending order of cells.
using latency_shard = std::vector<cell_voices>;

std::span<const voice> find_in(const latency_shard& shard, latency_cell cell) noexcept;

/// The part of a snapshot that refitting changes.
struct latency_field {
  /// By number; those that are gone have no id.
  std::vector<latency_region> regions;
  distance_prior prior;
  neighbour_field neighbours;

  /// The region's number; nothing if the learner does not know it, or it has moved since.
  std::optional<std::uint16_t> number_of(const latency_region& region) const noexcept;
};

/// All that predictions need. Immutable, so that any number of threads can read it without locks.
/// Shards that did not change are shared with the previous snapshot.
struct latency_snapshot {
  std::shared_ptr<const latency_field> field = std::make_shared<const latency_field>();
  std::array<std::shared_ptr<const latency_shard>, latency_shard_count> shards{};

  /// The voices of a cell; empty if nothing is known.
  std::span<const voice> find(const std::optional<latency_cell>& cell) const noexcept;
};

/// The source of a prediction: the narrowest cell that knows enough.
enum class latency_source : std::uint8_t {
  /// Nothing is known: the client has no coordinates, and its network no reports.
  nothing,
  distance,
  neighbours,
  place,
  network
};

inline constexpr std::array<std::string_view, 5> latency_source_names{
    "nothing", "distance", "neighbours", "place", "network"};

/// `distance`, `network` ..
constexpr std::string_view to_string(latency_source source) noexcept {
  return latency_source_names[static_cast<std::size_t>(source)];
}

/// A region of a listing.
struct region_distance {
  /// See `latency_snapshot::number_of`; `unnumbered` for a region that the learner does not know.
  std::uint16_t region = 0;
  double distance_m = 0;

  static constexpr std::uint16_t unnumbered = 0xFFFF;
};

struct latency_prediction {
  double milliseconds = 0;
  /// From 0, by distance alone, towards 1, known from many voices.
  float confidence = 0;
  latency_source source = latency_source::nothing;
};

/// What the voices of a cell say about a region.
struct region_estimate {
  double milliseconds = 0;
  /// The effective number of voices; 0: none.
  double weight = 0;
};
/// By the region's number.
using region_estimates = std::array<region_estimate, latency_region_limit>;
/// Milliseconds by the region's number; 0: nothing is expected.
using expected_latencies = std::array<double, latency_region_limit>;

/// Estimates the regions that voices measured. Voices are compared by their differences to one
/// region, so that a last mile that a speaker's round trips have in common does not matter. Each
/// difference is a median, in which the expectation has a casting vote and those of voices that did
/// not measure the region.
void estimate(std::span<const voice> all, const expected_latencies& expected,
              region_estimates& out) noexcept;

/// Whose networks' voices count.
enum class network_rows : std::uint8_t {
  all,
  /// Those of at least `shown_reporters` clients, which may be shown to other people.
  shown
};

/// Predicts `out[i]` for `regions[i]` (at most `latency_region_limit`, each number once; `out` has
/// the same length). Without coordinates, only the network is used. Takes some microseconds for 20
/// regions; allocates nothing. Any thread.
void predict_latencies(const latency_snapshot& snapshot, const client_cells& client,
                       std::span<const region_distance> regions, std::span<latency_prediction> out,
                       network_rows which = network_rows::all) noexcept;

/// Sorts positions in `regions` by prediction, in steps of 0.1 ms. Ties and regions without a
/// prediction, which come last, are sorted by distance, then by position: with nothing learned, the
/// order is that of distance.
void rank_by_latency(std::span<const region_distance> regions,
                     std::span<const latency_prediction> predictions,
                     std::vector<std::uint16_t>& order);

} // namespace matchcloud::model
