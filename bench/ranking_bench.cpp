#include "actors/region_ranking/region_ranking.hpp"
#include "bench/located_clients.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/latency/learner.hpp"
#include "model/latency/predictor.hpp"
#include "model/regions/ranking.hpp"
#include "store/geoip/geoip.hpp"
#include "tests/fixtures/latency_reports.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>

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

/// What players of the places of 20,000 addresses reported.
std::shared_ptr<const model::latency_snapshot> learned(const store::geoip& places,
                                                       const model::catalog& catalog) {
  model::latency_learner learner;
  std::vector<model::latency_region> regions;
  for (const auto& each : catalog.regions)
    regions.push_back({each.region_id, each.datacenter_coord});
  learner.set_regions(regions);
  constexpr std::int64_t begin_ms = 1'700'000'000'000;
  std::uint64_t reporter = 0;
  std::vector<model::region_latency> measured;
  for (const auto& each : bench::random_addresses(20'000)) {
    const auto client = store::client_cells_of(&places, each);
    if (!client.where) continue;
    measured.clear();
    for (std::size_t i = 0; i < std::min<std::size_t>(regions.size(), 6); ++i) {
      const auto at = (reporter + i) % regions.size();
      const auto far_m = model::great_circle_m(*client.where, regions[at].where);
      measured.push_back({*learner.number_of(regions[at]), 10 + 20 * far_m / 1e6});
    }
    learner.add({client, measured, begin_ms, ++reporter});
  }
  learner.refit();
  return learner.publish();
}

/// A ranking of clients for the benchmarks below. Arguments: regions, whether places are known to
/// the cache, and whether latencies have been learned.
actors::ranking_settings settings_for(const benchmark::State& state,
                                      const model::catalog& catalog) {
  actors::ranking_settings settings;
  settings.geoip = store::geoip::of({bench::file_under_test()});
  if (state.range(1) == 0) settings.cache_limit_bytes = 0;
  if (state.range(2) != 0) {
    settings.latencies = learned(*settings.geoip, catalog);
    settings.rank_by = actors::ranking_order::latency;
  }
  return settings;
}

constexpr std::size_t known_addresses = 8'192;

/// Regions for groups of 64 players, from the request's body to the answer's. Items are players.
void rank_group(benchmark::State& state) {
  const auto snapshot = snapshot_of(state.range(0));
  actors::region_ranking_state ranking{settings_for(state, *snapshot), snapshot};
  std::vector<std::string> bodies;
  for (const auto& each : bench::random_addresses(known_addresses)) {
    if (bodies.empty() || bodies.back().ends_with('}')) bodies.emplace_back(R"({"players":[)");
    const auto players = std::ranges::count(bodies.back(), '}') + 1;
    bodies.back() += R"({"address":")" + model::to_string(each) + "\"}" +
                     (players == model::group_limit ? "]}" : ",");
  }
  const auto answer = [&](const std::string& body) {
    return *ranking.rank(actors::rank_group{{}, *model::read_group_request(body), {}, {}, {}});
  };
  for (const auto& each : bodies)
    answer(each);
  std::size_t next = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(answer(bodies[next++ % bodies.size()]).data());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * model::group_limit));
}

/// The same players, each with a listing of its own, as front and ranking take them together.
void rank_each_alone(benchmark::State& state) {
  const auto snapshot = snapshot_of(state.range(0));
  actors::region_ranking_state ranking{settings_for(state, *snapshot), snapshot};
  constexpr auto at_once = actors::region_ranking_state::at_once;
  std::vector<actors::rank_regions> requests;
  for (const auto& each : bench::random_addresses(known_addresses))
    requests.push_back({{}, each, {}});
  std::size_t next = 0;
  const auto rank_next = [&] {
    std::array<const actors::rank_regions*, at_once> some;
    for (auto& each : some)
      each = &requests[next++ % requests.size()];
    std::array<actors::region_ranking_state::ranked, at_once> answers;
    ranking.rank(some, answers);
    benchmark::DoNotOptimize(answers.front().listing.get());
  };
  for (std::size_t i = 0; i < requests.size() / at_once; ++i)
    rank_next();
  for (auto _ : state)
    for (std::size_t i = 0; i < model::group_limit / at_once; ++i)
      rank_next();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * model::group_limit));
}

void each_case(benchmark::internal::Benchmark* of) {
  of->ArgNames({"regions", "known", "learned"});
  of->ArgsProduct({{12, 20}, {0, 1}, {0, 1}});
}
BENCHMARK(rank_group)->Name("ranking/group")->Apply(each_case);
BENCHMARK(rank_each_alone)->Name("ranking/each_alone")->Apply(each_case);

} // namespace
