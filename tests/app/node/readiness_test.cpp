#include "app/node/readiness.hpp"

#include "tests/catch.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace matchcloud::app {
namespace {

TEST_CASE("the service is ready while it serves and no storm rages") {
  std::vector<bool> told;
  readiness of{[&](bool ready) { told.push_back(ready); }};
  of.set_serving(true);
  of.set_storming(true);
  of.set_storming(false);
  of.set_serving(false);
  CHECK(told == std::vector<bool>{true, false, true, false});
  of.end();
  of.set_serving(true);
  CHECK(told.size() == 4);
}

TEST_CASE("a storm that ends while draining begins does not leave the service ready") {
  // The report that the storm is over is held up until the other report has been made or, as it
  // must be, cannot be made.
  constexpr std::chrono::milliseconds patience{100};
  std::atomic<bool> last{false};
  std::promise<void> storm_over;
  std::promise<void> drained;
  int told = 0;
  readiness of{[&](bool ready) {
    if (++told == 3) {
      storm_over.set_value();
      drained.get_future().wait_for(patience);
    }
    last = ready;
    if (told == 4) drained.set_value();
  }};
  of.set_serving(true);
  of.set_storming(true);
  std::thread ending{[&] { of.set_storming(false); }};
  storm_over.get_future().wait();
  of.set_serving(false);
  ending.join();
  CHECK(told == 4);
  CHECK(!last);
}

} // namespace
} // namespace matchcloud::app
