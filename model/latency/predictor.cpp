#include "model/latency/predictor.hpp"

#include "model/latency/unkept_entries.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace matchcloud::model {

namespace {

/// Places of a country (and of an autonomous system) differ from each other nearly as much as any
/// places do, by this share of the prior's variance.
constexpr double wide_share = 0.8;
/// Networks of a place differ by this much from each other, as a variance of logarithms.
constexpr double network_variance = 0.01;
/// A cell knows enough if it has about this many reports.
constexpr double enough_reports = 1;
constexpr double enough_neighbours = 0.1;
/// What all regions have in common in a place that is known to be off, and how much must be off
/// before that is believed.
constexpr double common_kinship = 0.3;
constexpr double doubted_kin = 0.5;
constexpr std::size_t none = latency_region_limit;

/// A guess of the logarithm for a region, and its variance.
struct guess {
  double value = 0;
  double variance = 1;
  latency_source source = latency_source::nothing;
  /// How far the client's own cells are off from the other sources, weighed.
  double off = 0;
  double own_weight = 0;

  /// Takes in another guess that is independent of this one.
  void take(double other, double other_variance) noexcept {
    // A guess that is far off was less certain than assumed (empirical Bayes of one observation).
    const double apart = other - value;
    variance = std::max(variance, apart * apart - other_variance);
    const double share = variance / (variance + other_variance);
    value += share * apart;
    variance *= 1 - share;
  }
};

/// Calls `use(position, row)` for the rows of the requested regions.
template <class Use>
void each_asked(std::span<const cell_row> rows,
                const std::array<std::uint16_t, latency_region_limit>& position, const Use& use) {
  for (const auto& row : rows)
    if (row.region < latency_region_limit && position[row.region] != none)
      use(position[row.region], row);
}

double variance_of(const cell_row& row) noexcept {
  const double deviation = row.log_deviation();
  return deviation * deviation / std::max(row.reports(), 1 / 64.0);
}

class prediction {
public:
  prediction(const latency_field& field, std::span<const region_distance> regions) noexcept
      : field_{field}, regions_{regions.first(std::min(regions.size(), latency_region_limit))} {
    position_.fill(static_cast<std::uint16_t>(none));
    for (std::size_t i = 0; i < regions_.size(); ++i)
      if (regions_[i].region < latency_region_limit)
        position_[regions_[i].region] = static_cast<std::uint16_t>(i);
  }

  void by_distance_and_neighbours(const coordinates& where) noexcept {
    const auto prior = field_.prior.variance;
    std::array<neighbour_guess, latency_region_limit> near;
    const auto known = std::span{near}.first(field_.regions.size());
    field_.neighbours.guess(where, known);
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      auto& at = guesses_[i];
      at = {std::log(field_.prior.at(regions_[i].distance_m)), prior, latency_source::distance};
      if (regions_[i].region >= known.size()) continue;
      const auto& other = known[regions_[i].region];
      at.value += static_cast<double>(other.residual);
      const double local = field_.neighbours.variance();
      at.variance = local + (prior - local) / (1 + other.weight / enough_neighbours);
      if (static_cast<double>(other.weight) >= enough_neighbours)
        at.source = latency_source::neighbours;
    }
  }

  /// Rows of ratios to the prior.
  void by_wide_cell(std::span<const cell_row> rows, latency_source source) noexcept {
    each_asked(rows, position_, [&](std::size_t i, const cell_row& row) {
      auto& at = guesses_[i];
      if (at.source == latency_source::nothing) return;
      at.take(std::log(field_.prior.at(regions_[i].distance_m)) + row.log_value(),
              wide_share * field_.prior.variance + variance_of(row));
      // Neighbours are nearer than a country, but less informative than an autonomous system.
      if (row.reports() >= enough_reports &&
          (source == latency_source::asn || at.source == latency_source::distance))
        at.source = source;
    });
  }

  /// Rows of milliseconds. `apart`: how much the client may differ from the cell.
  void by_own_cell(std::span<const cell_row> rows, latency_source source, double apart) noexcept {
    each_asked(rows, position_, [&](std::size_t i, const cell_row& row) {
      auto& at = guesses_[i];
      const double variance = variance_of(row);
      if (at.source == latency_source::nothing) {
        at = {row.log_value(), variance, source};
        return;
      }
      const double before = at.value;
      const double uncertain = at.variance;
      at.take(row.log_value(), variance);
      at.off += at.value - before;
      at.own_weight = std::max(at.own_weight, uncertain / (uncertain + variance));
      at.variance += apart;
      if (row.reports() >= enough_reports) at.source = source;
    });
  }

  /// Applies what the client's own cells know about some regions to the others.
  void by_kin() noexcept {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      auto& at = guesses_[i];
      if (at.own_weight > 0 || at.source == latency_source::nothing ||
          regions_[i].region >= field_.regions.size())
        continue;
      double sum = 0;
      double weights = doubted_kin;
      for (std::size_t j = 0; j < regions_.size(); ++j) {
        if (guesses_[j].own_weight <= 0) continue;
        const double kin =
            common_kinship +
            static_cast<double>(field_.neighbours.kinship(regions_[i].region, regions_[j].region));
        sum += kin * guesses_[j].off;
        weights += kin * guesses_[j].own_weight;
      }
      at.value += sum / weights;
    }
  }

  void write(std::span<latency_prediction> out) const noexcept {
    const double by_distance = std::sqrt(field_.prior.variance);
    for (std::size_t i = 0; i < std::min(out.size(), regions_.size()); ++i) {
      const auto& at = guesses_[i];
      out[i] = {};
      if (at.source == latency_source::nothing) continue;
      // The mean of a lognormal distribution, because uncertain values cost more than their median.
      out[i].milliseconds = std::exp(at.value + at.variance / 2);
      out[i].confidence =
          static_cast<float>(std::clamp(1 - std::sqrt(at.variance) / by_distance, 0.0, 1.0));
      out[i].source = at.source;
    }
  }

private:
  const latency_field& field_;
  std::span<const region_distance> regions_;
  std::array<std::uint16_t, latency_region_limit> position_;
  std::array<guess, latency_region_limit> guesses_;
};

} // namespace

void predict_latencies(const latency_field& field, const known_rows& known,
                       const std::optional<coordinates>& where,
                       std::span<const region_distance> regions,
                       std::span<latency_prediction> out) noexcept {
  prediction made{field, regions};
  if (where) {
    made.by_distance_and_neighbours(*where);
    made.by_wide_cell(known.country, latency_source::country);
    made.by_wide_cell(known.asn, latency_source::asn);
    made.by_own_cell(known.place, latency_source::place, network_variance);
  }
  made.by_own_cell(known.network, latency_source::network, 0);
  made.by_kin();
  made.write(out);
}

void predict_latencies(const latency_snapshot& snapshot, const client_cells& client,
                       std::span<const region_distance> regions, std::span<latency_prediction> out,
                       network_rows which) noexcept {
  std::optional<latency_cell> place;
  if (client.where) place = place_cell(*client.where);
  auto network = snapshot.find(client.network);
  std::array<cell_row, latency_region_limit> shown;
  if (which == network_rows::shown) {
    std::size_t count = 0;
    for (const auto& row : network)
      if (row.reporters >= shown_reporters) shown[count++] = row;
    network = std::span{shown}.first(count);
  }
  predict_latencies(
      *snapshot.field,
      {network, snapshot.find(place), snapshot.find(client.asn), snapshot.find(client.country)},
      client.where, regions, out);
}

void rank_by_latency(std::span<const region_distance> regions,
                     std::span<const latency_prediction> predictions,
                     std::vector<std::uint16_t>& order) {
  struct key {
    std::uint32_t tenths;
    std::uint16_t at;
    double distance_m;
  };
  constexpr std::uint32_t unknown = UINT32_MAX;
  std::array<key, latency_region_limit> keys;
  const auto count = std::min({regions.size(), predictions.size(), latency_region_limit});
  for (std::size_t i = 0; i < count; ++i) {
    const bool known = predictions[i].source != latency_source::nothing;
    const double tenths = std::min(predictions[i].milliseconds * 10 + 0.5, 4e9);
    keys[i] = {known ? static_cast<std::uint32_t>(tenths) : unknown, static_cast<std::uint16_t>(i),
               regions[i].distance_m};
  }
  std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count),
            [](const key& a, const key& b) {
              if (a.tenths != b.tenths) return a.tenths < b.tenths;
              if (a.distance_m != b.distance_m) return a.distance_m < b.distance_m;
              return a.at < b.at;
            });
  order.clear();
  for (std::size_t i = 0; i < count; ++i)
    order.push_back(keys[i].at);
}

} // namespace matchcloud::model
