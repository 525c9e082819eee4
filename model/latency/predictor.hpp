#pragma once

#include "model/latency/snapshot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::model {

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
