#include "actors/region_ranking.hpp"
#include "model/catalog_document.hpp"
#include "model/ranking.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud;

model::catalog_snapshot demo_snapshot() {
  const auto& document = model::demo_catalog();
  auto catalog = std::make_shared<model::catalog>();
  catalog->regions = document.regions;
  return catalog;
}

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
