#include "http/ops/ops_plane.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/raw_connection.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace matchcloud;

TEST_CASE("readiness that changes while it is asked for is told in one voice") {
  const http::service_metrics metrics{http::metric_sources{}};
  http::ops_plane plane{metrics, 1};
  const auto at = plane.bind(http::parse_endpoint("127.0.0.1:0").value()).value();
  const e2e::address bound{model::to_string(at.address), at.port};
  plane.start();
  std::atomic<bool> done{false};
  std::thread changes{[&] {
    for (bool ready = false; !done; ready = !ready)
      plane.set_ready(ready);
  }};
  int mixed = 0;
  for (int i = 0; i < 2'000; ++i) {
    e2e::raw_connection client{bound};
    const auto got = client.ask("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if ((got.status == 200) != (got.body == R"({"ready":true})")) ++mixed;
  }
  done = true;
  changes.join();
  CHECK(mixed == 0);
}

} // namespace
