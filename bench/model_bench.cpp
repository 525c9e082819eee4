#include "actors/region_ranking.hpp"
#include "model/catalog_document.hpp"
#include "model/ranking.hpp"
#include "model/validation.hpp"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace matchcloud;

model::catalog_snapshot demo_snapshot() {
  const auto& document = model::demo_catalog();
  auto catalog = std::make_shared<model::catalog>();
  catalog->regions = document.regions;
  return catalog;
}

std::vector<std::string> real_configs() {
  std::vector<std::string> bodies;
  for (const auto& entry : std::filesystem::directory_iterator{MATCHCLOUD_REAL_CONFIGS}) {
    std::ifstream in{entry.path()};
    bodies.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
  }
  return bodies;
}

void validate_real_version(benchmark::State& state) {
  const auto bodies = real_configs();
  const model::validation_rules rules;
  std::size_t next = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const auto& body = bodies[next++ % bodies.size()];
    benchmark::DoNotOptimize(model::validate(model::payload_kind::version, body, rules,
                                             model::default_reference_names()));
    bytes += body.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(validate_real_version);

void validate_group(benchmark::State& state) {
  const model::validation_rules rules;
  for (auto _ : state)
    benchmark::DoNotOptimize(model::validate(model::payload_kind::group,
                                             R"({"display_name":"Raiders"})", rules,
                                             model::default_reference_names()));
}
BENCHMARK(validate_group);

void geodesic_distance(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(model::geodesic_distance_m({51.5074, -0.1278}, {-33.8688, 151.2093}));
}
BENCHMARK(geodesic_distance);

void rank_and_render(benchmark::State& state) {
  const auto snapshot = demo_snapshot();
  const auto regions = model::regions_of(*snapshot, nullptr);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        model::render_regions(model::rank_regions(regions, model::coordinates{51.5, -0.1})));
}
BENCHMARK(rank_and_render);

void ranking_cache_hit(benchmark::State& state) {
  actors::region_ranking_state ranking{{}, demo_snapshot()};
  const auto client = *model::parse_ip_address("81.2.69.142");
  for (auto _ : state)
    benchmark::DoNotOptimize(ranking.rank(client, {}));
}
BENCHMARK(ranking_cache_hit);

} // namespace
