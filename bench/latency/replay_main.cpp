// What script/bench latency runs: replays measured round trips, and times a prediction.
//
//   replay FOLDER SEEDS
//
// It prints one JSON object. Seeds are 1 to SEEDS.
#include "bench/latency/replay.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>

namespace {

using namespace matchcloud;

constexpr std::uint64_t most_seeds = 1'000;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// One row of a set: the losses of each seed.
void print_row(std::string_view name, const std::vector<std::vector<double>>& of_seeds) {
  std::vector<double> means;
  std::vector<double> p99s;
  double worst = 0;
  for (const auto& losses : of_seeds) {
    means.push_back(bench::mean_of(losses));
    p99s.push_back(bench::p99_of(losses));
    worst = std::max(worst, *std::ranges::max_element(losses));
  }
  std::printf(",\"%s\":{\"mean_ms\":%.3f,\"p99_ms\":%.2f,\"lowest\":%.3f,\"highest\":%.3f,"
              "\"worst_ms\":%.1f}",
              std::string{name}.c_str(), median_of(means), median_of(p99s),
              *std::ranges::min_element(means), *std::ranges::max_element(means), worst);
}

void print_set(const bench::city_latencies& data, const bench::site_set& set, std::uint64_t seeds) {
  using enum bench::noise_kind;
  const auto by_distance = bench::losses_by_distance(data, set.sites);
  std::printf("\"%s\":{\"cities\":%zu", std::string{set.name}.c_str(), by_distance.size());
  print_row("distance", {by_distance});
  const auto print = [&](std::string_view name, bench::replay_settings settings,
                         const auto& replayed) {
    std::vector<std::vector<double>> losses;
    for (settings.seed = 1; settings.seed <= seeds; ++settings.seed)
      losses.push_back(replayed(data, set.sites, settings));
    print_row(name, losses);
  };
  print("reports_3", {.reports = 3}, bench::replay);
  print("reports_10", {}, bench::replay);
  print("others_10", {}, bench::replay_without_own);
  print("liars_30", {.liars = 0.3}, bench::replay);
  print("pushed_30", {.liars = 0.3, .pushes = true}, bench::replay);
  print("spikes_3", {.reports = 3, .noise = spikes}, bench::replay);
  print("spikes_10", {.noise = spikes}, bench::replay);
  print("network_3", {.reports = 3, .one_network = true}, bench::replay);
  print("network_10", {.one_network = true}, bench::replay);
  std::printf("}");
}

double processor_us() {
  return 1e6 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Microseconds of processor time to predict and to rank all regions for clients in turn.
void print_costs(const bench::city_latencies& data, std::span<const std::string_view> sites) {
  constexpr int rounds = 200;
  const auto learned = bench::learn_all(data, sites, {10, 0.1, 1});
  std::vector<model::latency_prediction> predictions(sites.size());
  std::vector<std::uint16_t> order;
  const auto measured = [&](bool ranks) {
    std::vector<double> each;
    for (int round = 0; round < rounds; ++round) {
      const double begin = processor_us();
      for (const auto& client : learned.clients) {
        model::predict_latencies(*learned.snapshot, client.cells, client.regions, predictions);
        if (ranks) model::rank_by_latency(client.regions, predictions, order);
      }
      each.push_back((processor_us() - begin) / static_cast<double>(learned.clients.size()));
    }
    return median_of(each);
  };
  const double predict = measured(false);
  const double rank = measured(true);
  std::printf("\"predict_us\":%.3f,\"predict_and_rank_us\":%.3f,\"add_us\":%.3f,"
              "\"refit_ms\":%.3f,\"publish_ms\":%.3f",
              predict, rank, learned.add_us, learned.refit_us / 1e3, learned.publish_us / 1e3);
}

} // namespace

int main(int count, char* words[]) {
  std::uint64_t seeds = 0;
  if (count == 3) {
    const std::string_view text{words[2]};
    std::from_chars(text.data(), text.data() + text.size(), seeds);
  }
  if (seeds == 0 || seeds > most_seeds) {
    std::fprintf(stderr, "usage: bench_latency FOLDER SEEDS, with 1 to 1000 seeds\n");
    return 2;
  }
  try {
    const bench::city_latencies data{words[1]};
    std::printf("{");
    for (const auto& set : bench::site_sets()) {
      print_set(data, set, seeds);
      std::printf(",");
    }
    print_costs(data, bench::site_sets().front().sites);
    std::printf("}\n");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_latency: %s\n", failure.what());
    return 1;
  }
}
