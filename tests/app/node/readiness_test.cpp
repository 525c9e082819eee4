#include "app/node/readiness.hpp"

#include "tests/catch.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace matchcloud::app {
namespace {

using state = readiness::state;

TEST_CASE("the service is ready while it serves and no storm rages") {
  std::vector<state> told;
  readiness of{[&](state now) { told.push_back(now); }};
  of.set_storming(true);
  of.set_serving();
  of.set_storming(false);
  of.set_draining();
  CHECK(told == std::vector{state::starting, state::restart_storm, state::ready, state::draining});
}

TEST_CASE("a service whose store is for newer programs is not ready, whatever else comes") {
  state last = state::starting;
  readiness of{[&](state now) { last = now; }};
  of.set_serving();
  of.set_fenced();
  CHECK(last == state::store_newer);
  of.set_storming(true);
  of.set_storming(false);
  of.set_serving();
  CHECK(last == state::store_newer);
  of.set_draining();
  CHECK(last == state::draining);
}

TEST_CASE("a service whose store is gone is not ready until the store is there again") {
  state last = state::starting;
  readiness of{[&](state now) { last = now; }};
  of.set_lost(true);
  CHECK(last == state::starting);
  of.set_serving();
  CHECK(last == state::store_gone);
  of.set_storming(true);
  CHECK(last == state::store_gone);
  of.set_lost(false);
  CHECK(last == state::restart_storm);
  of.set_storming(false);
  CHECK(last == state::ready);
}

TEST_CASE("a storm that ends while draining begins does not leave the service ready") {
  // The report that the storm is over is held up until the other report has been made or, as it
  // must be, cannot be made.
  constexpr std::chrono::milliseconds patience{100};
  std::atomic<bool> last{false};
  std::promise<void> storm_over;
  std::promise<void> drained;
  int told = 0;
  readiness of{[&](state now) {
    if (++told == 3) {
      storm_over.set_value();
      drained.get_future().wait_for(patience);
    }
    last = now == state::ready;
    if (told == 4) drained.set_value();
  }};
  of.set_serving();
  of.set_storming(true);
  std::thread ending{[&] { of.set_storming(false); }};
  storm_over.get_future().wait();
  of.set_draining();
  ending.join();
  CHECK(told == 4);
  CHECK(!last);
}

} // namespace
} // namespace matchcloud::app
