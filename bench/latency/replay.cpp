#include "bench/latency/replay.hpp"

#include "model/regions/ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <stdexcept>

namespace matchcloud::bench {

namespace {

using namespace model;

constexpr std::size_t reported_regions = 6;
constexpr double liars_lowest_ms = 1;
constexpr double liars_highest_ms = 400;
/// Fits of the prior while reports come in, the last one after all of them.
constexpr std::size_t fits = 8;
/// Cities that are left out at once.
constexpr std::size_t group_limit = 14;
constexpr double apart_m = 1'000e3;
/// The last address of a network that has not reported.
constexpr std::uint32_t strangers = 0xF0'0000;
constexpr std::int64_t begin_ms = 1'700'000'000'000;
constexpr std::int64_t between_reports_ms = 1'000;

constexpr std::array<std::string_view, 20> d20{
    "Washington", "San Jose",  "Sao Paulo", "London",  "Frankfurt",   "Singapore", "Tokyo",
    "Sydney",     "Pune",      "Atlanta",   "Bangkok", "Amsterdam",   "Santiago",  "Bangalore",
    "Moscow",     "Stockholm", "Phoenix",   "Chicago", "Los Angeles", "Seattle"};
constexpr std::array<std::string_view, 20> a20{
    "Dublin",       "Paris",  "Madrid",  "Milan",   "Warsaw",    "Oslo",   "Montreal",
    "Dallas",       "Denver", "Miami",   "Seattle", "Mexico",    "Bogota", "Buenos Aires",
    "Johannesburg", "Dubai",  "Chennai", "Jakarta", "Hong Kong", "Osaka"};
constexpr std::array<std::string_view, 12> a12{"Amsterdam", "Vienna",   "New York",  "Los Angeles",
                                               "Houston",   "Santiago", "Cape Town", "Tel Aviv",
                                               "New Delhi", "Seoul",    "Singapore", "Perth"};
constexpr std::array<site_set, 3> sets{{{"D20", d20}, {"A20", a20}, {"A12", a12}}};

std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& path,
                                              std::size_t columns) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error{"cannot read " + path.string()};
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line); // names of columns
  while (std::getline(file, line)) {
    std::vector<std::string> row;
    for (std::size_t begin = 0; begin <= line.size();) {
      const auto end = std::min(line.find(',', begin), line.size());
      row.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (row.size() != columns)
      throw std::runtime_error{path.string() + " has a row of " + std::to_string(row.size()) +
                               " values instead of " + std::to_string(columns)};
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A city among given regions.
struct scene_city {
  std::size_t index = 0;
  std::vector<region_distance> regions;
  std::vector<double> rtt;
  /// Positions in `regions` of those that it reports.
  std::vector<std::size_t> reported;
  client_cells cells;
  bool judged = false;
};

struct planned_report {
  std::size_t city = 0;
  std::vector<region_latency> latencies;
};

std::vector<scene_city> scene_of(const city_latencies& data,
                                 std::span<const std::string_view> sites) {
  std::vector<scene_city> scene;
  for (std::size_t i = 0; i < data.cities().size(); ++i) {
    const auto& city = data.cities()[i];
    scene_city made;
    made.index = i;
    made.judged = true;
    for (std::size_t region = 0; region < sites.size(); ++region) {
      const auto host = data.find(sites[region]);
      made.regions.push_back({static_cast<std::uint16_t>(region),
                              geodesic_distance_m(city.where, data.cities()[host].where)});
      made.rtt.push_back(data.between(i, host));
      made.judged = made.judged && host != i && made.rtt.back() > 0;
      if (made.rtt.back() > 0) made.reported.push_back(region);
    }
    std::sort(made.reported.begin(), made.reported.end(), [&](std::size_t a, std::size_t b) {
      return made.regions[a].distance_m < made.regions[b].distance_m;
    });
    made.reported.resize(std::min(made.reported.size(), reported_regions));
    made.cells.where = city.where;
    scene.push_back(std::move(made));
  }
  return scene;
}

/// What a round trip takes in a report, apart from the last mile.
double measured(double rtt, noise_kind noise, std::mt19937_64& random) {
  if (noise == noise_kind::lognormal) return rtt * std::lognormal_distribution{0.0, 0.15}(random);
  constexpr double queue_ms = 4;
  constexpr double spike_ms = 80;
  constexpr double spikes = 0.1;
  const double usual = rtt * std::lognormal_distribution{0.0, 0.05}(random) +
                       std::exponential_distribution{1 / queue_ms}(random);
  const double spike = std::exponential_distribution{1 / spike_ms}(random);
  return std::bernoulli_distribution{spikes}(random) ? usual + spike : usual;
}

planned_report report_of(const scene_city& city, std::size_t at, const replay_settings& settings,
                         std::size_t pushed, std::mt19937_64& random) {
  std::uniform_real_distribution<double> anything{liars_lowest_ms, liars_highest_ms};
  planned_report made{at, {}};
  const bool lies = std::bernoulli_distribution{settings.liars}(random);
  const double last_mile = settings.noise == noise_kind::lognormal
                               ? std::exponential_distribution{1.0 / 8}(random)
                               : std::gamma_distribution{2.0, 10.0}(random);
  for (const auto position : city.reported) {
    const double lie = anything(random);
    const double truth = measured(city.rtt[position], settings.noise, random) + last_mile;
    made.latencies.push_back(
        {city.regions[position].region, lies && !settings.pushes ? lie : truth});
  }
  if (!lies || !settings.pushes) return made;
  const auto number = city.regions[pushed].region;
  std::erase_if(made.latencies, [&](const auto& each) { return each.region == number; });
  made.latencies.push_back({number, least_round_trip_ms(city.regions[pushed].distance_m) + 1});
  return made;
}

/// The judged cities, in groups whose members are too far apart to be each other's neighbours: one
/// learner that has heard of none of a group serves all of it.
std::vector<std::vector<std::size_t>> groups_of(const std::vector<scene_city>& scene) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t at = 0; at < scene.size(); ++at) {
    if (!scene[at].judged) continue;
    const auto fits_in = [&](const std::vector<std::size_t>& group) {
      return group.size() < group_limit && std::ranges::all_of(group, [&](std::size_t other) {
               return great_circle_m(*scene[at].cells.where, *scene[other].cells.where) >= apart_m;
             });
    };
    auto found = std::ranges::find_if(groups, fits_in);
    if (found == groups.end()) found = groups.insert(found, std::vector<std::size_t>{});
    found->push_back(at);
  }
  return groups;
}

client_cells client_in(const scene_city& city, std::uint32_t network) {
  auto cells = city.cells;
  cells.network = network_cell(ip_address::from_v4(std::array<std::uint8_t, 4>{
      static_cast<std::uint8_t>(network >> 16U), static_cast<std::uint8_t>(network >> 8U),
      static_cast<std::uint8_t>(network), 1}));
  return cells;
}

/// Feeds a learner. Each report is of a client of its own.
class feeding {
public:
  feeding(const std::vector<scene_city>& scene, bool one_network)
      : scene_{scene}, one_network_{one_network} {}

  void add(latency_learner& learner, const planned_report& report) {
    ++count_;
    learner.add({client_in(scene_[report.city], network_of(report.city)), report.latencies, now(),
                 count_ * 0x9E3779B97F4A7C15ULL});
  }
  /// The client whose region is judged: of the city's only network, or of a new one.
  client_cells judged_client(std::size_t city) const {
    return client_in(scene_[city], one_network_ ? network_of(city)
                                                : strangers + static_cast<std::uint32_t>(city));
  }

private:
  std::int64_t now() const noexcept {
    return begin_ms + static_cast<std::int64_t>(count_) * between_reports_ms;
  }
  std::uint32_t network_of(std::size_t city) const noexcept {
    return static_cast<std::uint32_t>(one_network_ ? strangers + city : count_);
  }

  const std::vector<scene_city>& scene_;
  bool one_network_;
  std::uint64_t count_ = 0;
};

double loss_of(const scene_city& city, std::span<const latency_prediction> predictions) {
  std::vector<std::uint16_t> order;
  rank_by_latency(city.regions, predictions, order);
  return city.rtt[order.front()] - *std::ranges::min_element(city.rtt);
}

double loss_of(const scene_city& city, const client_cells& client, latency_learner& learner) {
  std::vector<latency_prediction> predictions(city.regions.size());
  predict_latencies(*learner.publish(), client, city.regions, predictions);
  return loss_of(city, predictions);
}

std::vector<planned_report> plan_of(const std::vector<scene_city>& scene,
                                    const replay_settings& settings) {
  std::mt19937_64 random{settings.seed};
  const auto pushed = random() % scene.front().regions.size();
  std::vector<planned_report> planned;
  for (std::size_t at = 0; at < scene.size(); ++at)
    for (int i = 0; i < settings.reports; ++i)
      planned.push_back(report_of(scene[at], at, settings, pushed, random));
  std::shuffle(planned.begin(), planned.end(), random);
  return planned;
}

std::vector<latency_region> regions_of(const city_latencies& data,
                                       std::span<const std::string_view> sites) {
  std::vector<latency_region> regions;
  for (const auto name : sites)
    regions.push_back({std::string{name}, data.cities()[data.find(name)].where});
  return regions;
}

learner_settings limited(std::size_t entries) {
  learner_settings small;
  small.entry_limit = entries;
  return small;
}

/// A learner that starts empty and hears all reports but those of some cities.
latency_learner taught(const std::vector<planned_report>& planned,
                       std::span<const latency_region> regions,
                       std::span<const std::size_t> left_out, feeding& feed) {
  latency_learner learner{limited(262'144)};
  learner.set_regions(regions);
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (std::ranges::find(left_out, planned[i].city) == left_out.end())
      feed.add(learner, planned[i]);
    if ((i + 1) % (planned.size() / fits) == 0) learner.refit();
  }
  learner.refit();
  return learner;
}

} // namespace

city_latencies::city_latencies(const std::filesystem::path& folder) {
  std::map<std::string, std::size_t> by_id;
  for (const auto& row : rows_of(folder / "cities.csv", 5)) {
    by_id.emplace(row[0], cities_.size());
    cities_.push_back({row[1], row[2], {std::stod(row[3]), std::stod(row[4])}});
  }
  rtt_.resize(cities_.size() * cities_.size());
  for (const auto& row : rows_of(folder / "rtt.csv", 3))
    rtt_[by_id.at(row[0]) * cities_.size() + by_id.at(row[1])] = std::stod(row[2]);
}

std::size_t city_latencies::find(std::string_view name) const {
  const auto found = std::ranges::find(cities_, name, &replayed_city::name);
  if (found == cities_.end()) throw std::runtime_error{"no city " + std::string{name}};
  return static_cast<std::size_t>(found - cities_.begin());
}

std::span<const site_set> site_sets() noexcept {
  return sets;
}

std::vector<double> replay(const city_latencies& data, std::span<const std::string_view> sites,
                           const replay_settings& settings) {
  const auto scene = scene_of(data, sites);
  feeding feed{scene, settings.one_network};
  auto learner = taught(plan_of(scene, settings), regions_of(data, sites), {}, feed);
  std::vector<double> losses;
  for (std::size_t at = 0; at < scene.size(); ++at)
    if (scene[at].judged) losses.push_back(loss_of(scene[at], feed.judged_client(at), learner));
  return losses;
}

std::vector<double> replay_without_own(const city_latencies& data,
                                       std::span<const std::string_view> sites,
                                       const replay_settings& settings) {
  const auto scene = scene_of(data, sites);
  const auto planned = plan_of(scene, settings);
  const auto regions = regions_of(data, sites);
  std::vector<double> losses;
  for (const auto& group : groups_of(scene)) {
    feeding feed{scene, false};
    auto learner = taught(planned, regions, group, feed);
    for (const auto at : group)
      losses.push_back(loss_of(scene[at], feed.judged_client(at), learner));
  }
  return losses;
}

std::vector<double> losses_by_distance(const city_latencies& data,
                                       std::span<const std::string_view> sites) {
  std::vector<double> losses;
  for (const auto& city : scene_of(data, sites))
    if (city.judged)
      losses.push_back(loss_of(city, std::vector<latency_prediction>(city.regions.size())));
  return losses;
}

learned_replay learn_all(const city_latencies& data, std::span<const std::string_view> sites,
                         const replay_settings& settings) {
  const auto scene = scene_of(data, sites);
  const auto planned = plan_of(scene, settings);
  latency_learner learner{limited(262'144)};
  learner.set_regions(regions_of(data, sites));
  feeding feed{scene, false};
  learned_replay learned;
  const auto timed = [](const auto& work) {
    const auto begin = std::clock();
    work();
    return 1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const auto all = timed([&] {
    for (const auto& report : planned)
      feed.add(learner, report);
  });
  learned.add_us = all / static_cast<double>(planned.size());
  learned.refit_us = timed([&] { learner.refit(); });
  learned.publish_us = timed([&] { learned.snapshot = learner.publish(); });
  for (const auto& city : scene)
    learned.clients.push_back({city.cells, city.regions});
  return learned;
}

double mean_of(std::span<const double> losses) {
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

double p99_of(std::vector<double> losses) {
  std::sort(losses.begin(), losses.end());
  const auto rank = std::ceil(0.99 * static_cast<double>(losses.size()));
  return losses[static_cast<std::size_t>(rank) - 1];
}

} // namespace matchcloud::bench
