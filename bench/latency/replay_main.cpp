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

struct row {
  std::string_view name;
  std::vector<double> means;
  std::vector<double> p99s;

  void add(const std::vector<double>& losses) {
    means.push_back(bench::mean_of(losses));
    p99s.push_back(bench::p99_of(losses));
  }
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void print_rows(const bench::city_latencies& data, std::span<const std::string_view> sites,
                std::uint64_t seeds) {
  std::array<row, 5> rows{{{"distance", {}, {}},
                           {"reports_3", {}, {}},
                           {"reports_10", {}, {}},
                           {"others_10", {}, {}},
                           {"liars_30", {}, {}}}};
  std::size_t judged = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto ten = bench::replay(data, sites, {10, 0.1, seed});
    judged = ten.by_distance.size();
    rows[0].add(ten.by_distance);
    rows[1].add(bench::replay(data, sites, {3, 0.1, seed}).by_latency);
    rows[2].add(ten.by_latency);
    rows[3].add(ten.by_others);
    rows[4].add(bench::replay(data, sites, {10, 0.3, seed}).by_latency);
  }
  std::printf("\"%zu\":{\"cities\":%zu", sites.size(), judged);
  for (const auto& each : rows)
    std::printf(",\"%s\":{\"mean_ms\":%.3f,\"p99_ms\":%.2f,\"lowest\":%.3f,\"highest\":%.3f}",
                std::string{each.name}.c_str(), median_of(each.means), median_of(each.p99s),
                *std::ranges::min_element(each.means), *std::ranges::max_element(each.means));
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
    for (const auto sites : {bench::twelve_sites(), bench::twenty_sites()}) {
      print_rows(data, sites, seeds);
      std::printf(",");
    }
    print_costs(data, bench::twenty_sites());
    std::printf("}\n");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_latency: %s\n", failure.what());
    return 1;
  }
}
