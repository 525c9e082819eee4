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

/// Cities where regions are.
struct site_set {
  std::string_view name;
  std::span<const std::string_view> sites;
};
std::span<const site_set> site_sets() noexcept;

enum class noise_kind : std::uint8_t {
  /// Each round trip times lognormal noise (0.15), plus an exponential last mile (8 ms).
  lognormal,
  /// Times lognormal noise (0.05), plus exponential queues (4 ms), in a tenth of all cases plus a
  /// spike (80 ms), plus a last mile of a gamma distribution (2, 10 ms).
  spikes
};

struct replay_settings {
  /// Of each city.
  int reports = 10;
  /// Of them, the share that lies: all values are uniform in 1 to 400 ms.
  double liars = 0.1;
  std::uint64_t seed = 1;
  noise_kind noise = noise_kind::lognormal;
  /// Whether liars tell the truth but for one region, which they claim to reach at once.
  bool pushes = false;
  /// Whether all reports of a city are from one network, and its clients, too.
  bool one_network = false;
};

/// What each judged city loses in milliseconds: the round trip to the chosen region minus that to
/// the best one. Judged are cities that host no region and were measured with all of them. A
/// learner starts empty and hears the reports of all cities in one random order.
std::vector<double> replay(const city_latencies& data, std::span<const std::string_view> sites,
                           const replay_settings& settings);

/// The same for cities that the learner has never heard of, up to 14 at a time, which are 1,000 km
/// apart.
std::vector<double> replay_without_own(const city_latencies& data,
                                       std::span<const std::string_view> sites,
                                       const replay_settings& settings);

/// What they lose by choosing the nearest region.
std::vector<double> losses_by_distance(const city_latencies& data,
                                       std::span<const std::string_view> sites);

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
