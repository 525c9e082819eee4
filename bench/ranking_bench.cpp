#include "actors/region_ranking/region_ranking.hpp"
#include "bench/located_clients.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/regions/ranking.hpp"
#include "store/geoip/geoip.hpp"
#include "tests/fixtures/ranked_client.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud;

/// A catalog of the demo's 12 regions and then, up to `count`, others that are spread over the
/// earth.
std::shared_ptr<const model::catalog> snapshot_of(std::int64_t count) {
  auto catalog = std::make_shared<model::catalog>();
  catalog->regions = model::demo_catalog().regions;
  std::mt19937 random{1};
  std::uniform_real_distribution<double> latitude{-60, 70};
  std::uniform_real_distribution<double> longitude{-180, 180};
  for (auto i = static_cast<std::int64_t>(catalog->regions.size()); i < count; ++i)
    catalog->regions.push_back({"r" + std::to_string(i),
                                "Region " + std::to_string(i),
                                "Demo Cloud",
                                {latitude(random), longitude(random)}});
  return catalog;
}

void geodesic_distance(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(model::geodesic_distance_m({51.5074, -0.1278}, {-33.8688, 151.2093}));
}
BENCHMARK(geodesic_distance)->Name("ranking/geodesic");

void rank_regions(benchmark::State& state) {
  const auto snapshot = snapshot_of(state.range(0));
  const auto regions = model::regions_of(*snapshot, nullptr);
  for (auto _ : state)
    benchmark::DoNotOptimize(model::rank_regions(regions, model::coordinates{51.5, -0.1}));
}
BENCHMARK(rank_regions)->Name("ranking/order")->Arg(12)->Arg(100)->Arg(1'000);

/// Makes the listing for a location that is not cached, without computing its distances.
void make_listing(benchmark::State& state) {
  const auto snapshot = snapshot_of(state.range(0));
  const auto fragments = std::make_shared<const model::region_fragments>(snapshot->regions);
  std::vector<model::listed_region> rows;
  for (std::int64_t i = 0; i < state.range(0); ++i)
    rows.push_back({static_cast<std::size_t>(i), 1'234'567.8 * static_cast<double>(i % 16)});
  for (auto _ : state)
    benchmark::DoNotOptimize(model::region_listing{fragments, rows}.digest());
}
BENCHMARK(make_listing)->Name("ranking/make_listing")->Arg(12)->Arg(100)->Arg(1'000);

/// The cost of writing a cached listing when it is sent.
template <auto Append>
void append_listing(benchmark::State& state) {
  actors::region_ranking_state ranking{{}, snapshot_of(state.range(0))};
  const auto listing = fixtures::rank(ranking, *model::parse_ip_address("81.2.69.142"));
  std::string out;
  for (auto _ : state) {
    out.clear();
    (*listing.*Append)(out);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["bytes"] = static_cast<double>(out.size());
}
BENCHMARK(append_listing<&model::region_listing::append_json>)
    ->Name("ranking/append_json")
    ->Arg(12)
    ->Arg(100)
    ->Arg(1'000);
BENCHMARK(append_listing<&model::region_listing::append_gzip>)
    ->Name("ranking/append_gzip")
    ->Arg(12)
    ->Arg(100)
    ->Arg(1'000);

/// All that the actor does for a client whose location is cached: looking up the address and then
/// the location and, if `written` is 1, writing the listing.
void answer_cached_client(benchmark::State& state) {
  actors::ranking_settings settings;
  settings.geoip = store::geoip::of({bench::file_under_test()});
  actors::region_ranking_state ranking{settings, snapshot_of(state.range(0))};
  const auto addresses = bench::random_addresses();
  for (const auto& each : addresses)
    fixtures::rank(ranking, each);
  std::size_t next = 0;
  std::string out;
  const bool written = state.range(1) != 0;
  for (auto _ : state) {
    const auto listing = fixtures::rank(ranking, addresses[next++ % addresses.size()]);
    if (!written) continue;
    out.clear();
    listing->append_json(out);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["locations"] = static_cast<double>(ranking.cached_listings());
}
BENCHMARK(answer_cached_client)
    ->Name("ranking/cached")
    ->ArgNames({"regions", "written"})
    ->Args({12, 0})
    ->Args({12, 1})
    ->Args({100, 0})
    ->Args({100, 1});

} // namespace
