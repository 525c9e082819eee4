#pragma once

#include "model/latency/learner.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Replays measured round trips between cities as reports of players, and says what choosing a
/// region by what was learned costs them.
namespace matchcloud::bench {

struct replayed_city {
  std::string name;
  std::string country;
  model::coordinates where;
};

/// Cities and the round trips between them.
class city_latencies {
public:
  /// Reads `cities.csv` (id, city, country, latitude, longitude) and `rtt.csv` (source,
  /// destination, rtt_ms) of a folder. Throws `std::runtime_error` where they are not so.
  explicit city_latencies(const std::filesystem::path& folder);

  const std::vector<replayed_city>& cities() const noexcept { return cities_; }
  /// Milliseconds; 0 where nothing was measured.
  double between(std::size_t source, std::size_t destination) const noexcept {
    return rtt_[source * cities_.size() + destination];
  }
  /// The position of a city; throws if it is not there.
  std::size_t find(std::string_view name) const;

private:
  std::vector<replayed_city> cities_;
  std::vector<double> rtt_;
};

/// The cities where regions are, twelve and twenty of them.
std::span<const std::string_view> twelve_sites() noexcept;
std::span<const std::string_view> twenty_sites() noexcept;

struct replay_settings {
  /// Of each city.
  int reports = 10;
  /// Of them, the share whose values are uniform in 1 to 400 ms.
  double liars = 0.1;
  std::uint64_t seed = 1;
};

/// What each judged city loses, in milliseconds: the round trip to the chosen region minus that to
/// the best one.
struct replay_losses {
  std::vector<double> by_distance;
  /// With reports of the other cities only.
  std::vector<double> by_others;
  std::vector<double> by_latency;
};

/// Replays for each city that hosts no region and was measured with all of them. A learner that has
/// never heard of it (nor of a few others, over 2,000 km away) takes in the reports of all others
/// and fits its prior, predicts, takes in the city's own reports, and predicts again.
replay_losses replay(const city_latencies& data, std::span<const std::string_view> sites,
                     const replay_settings& settings);

/// A city's client, to predict for.
struct replay_client {
  model::client_cells cells;
  std::vector<model::region_distance> regions;
};

/// What all cities' reports teach, and what that takes in microseconds of processor time.
struct learned_replay {
  std::shared_ptr<const model::latency_snapshot> snapshot;
  std::vector<replay_client> clients;
  double add_us = 0;
  double refit_us = 0;
  double publish_us = 0;
};
learned_replay learn_all(const city_latencies& data, std::span<const std::string_view> sites,
                         const replay_settings& settings);

double mean_of(std::span<const double> losses);
/// The 99th percentile: the least value that at least this share of the losses do not exceed.
double p99_of(std::vector<double> losses);

} // namespace matchcloud::bench
