#include "bench/located_clients.hpp"
#include "store/geoip/geoip.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud;
using namespace matchcloud::bench;

void locate_random_addresses(benchmark::State& state) {
  const auto file = file_under_test();
  const auto geoip = store::geoip::of({file});
  const auto addresses = random_addresses();
  std::size_t next = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(geoip->locate(addresses[next++ % addresses.size()]));
  state.counters["places"] = static_cast<double>(file->places().size());
}
BENCHMARK(locate_random_addresses)->Name("geoip/locate");

/// Opens a GeoIP file, which includes copying it, checking its tree and reading every record.
void open_geoip_file(benchmark::State& state) {
  const fixtures::temporary_directory folder;
  const bool real = std::filesystem::exists(real_file);
  const auto path = real ? real_file : folder.file("built.mmdb", built_file());
  for (auto _ : state)
    benchmark::DoNotOptimize(opened(path));
}
BENCHMARK(open_geoip_file)->Name("geoip/open")->Unit(benchmark::kMillisecond);

} // namespace
