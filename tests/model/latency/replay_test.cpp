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
  const auto losses = bench::replay(data, bench::twelve_sites(), {10, 0.1, 1});
  CHECK(losses.by_distance.size() > 200);
  CHECK(bench::mean_of(losses.by_distance) > 4);
  CHECK(bench::mean_of(losses.by_latency) < 0.6);
  CHECK(bench::p99_of(losses.by_latency) < 12);
  CHECK(bench::mean_of(losses.by_others) < 4);
  const auto again = bench::replay(data, bench::twelve_sites(), {10, 0.1, 1});
  CHECK(again.by_latency == losses.by_latency);
}

} // namespace
