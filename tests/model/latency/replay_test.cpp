#include "bench/latency/replay.hpp"

#include "tests/catch.hpp"

#include <cstdlib>

namespace {

using namespace matchcloud;

TEST_CASE("What is learned from reports loses less than distance does, between real cities") {
  const char* const folder = std::getenv("MATCHCLOUD_LATENCIES");
  if (folder == nullptr) {
    WARN("MATCHCLOUD_LATENCIES names no folder of measured latencies: skipped");
    return;
  }
  const bench::city_latencies data{folder};
  const auto& [name, sites] = bench::site_sets().front();
  const auto losses = bench::replay(data, sites, {});
  CHECK(losses.size() > 200);
  CHECK(bench::mean_of(bench::losses_by_distance(data, sites)) > 10);
  CHECK(bench::mean_of(losses) < 0.8);
  CHECK(bench::mean_of(bench::replay(data, sites, {.liars = 0.3})) < 1.2);
  CHECK(bench::replay(data, sites, {}) == losses);
}

} // namespace
