#pragma once

#include "model/latency/snapshot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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
  country,
  asn,
  place,
  network
};

inline constexpr std::array<std::string_view, 7> latency_source_names{
    "nothing", "distance", "neighbours", "country", "asn", "place", "network"};

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
  /// From 0, no better than by distance, towards 1, exact: the share by which what is known reduces
  /// the uncertainty of the distance (in standard deviations of the logarithm).
  float confidence = 0;
  latency_source source = latency_source::nothing;
};

/// What is known about the cells that a client is in.
struct known_rows {
  std::span<const cell_row> network;
  std::span<const cell_row> place;
  std::span<const cell_row> asn;
  std::span<const cell_row> country;
};

/// Predicts `out[i]` for `regions[i]` (at most `latency_region_limit`, each number once; `out` has
/// the same length). Without coordinates, only the network is used. Each source guesses the
/// logarithm of the ratio to the distance prior with its own variance, by which their mean is
/// weighed. A cell that is known to be off for some regions moves the others, too. Takes a few
/// microseconds for 20 regions; allocates nothing. Any thread.
void predict_latencies(const latency_field& field, const known_rows& known,
                       const std::optional<coordinates>& where,
                       std::span<const region_distance> regions,
                       std::span<latency_prediction> out) noexcept;

/// Which rows of a network count.
enum class network_rows : std::uint8_t {
  all,
  /// Rows with at least `shown_reporters`, which may be shown to people other than the client.
  shown
};

/// The same for a client of a snapshot.
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
