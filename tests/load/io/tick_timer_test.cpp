#include "load/io.hpp"

#include "tests/catch.hpp"

#include <poll.h>
#include <sys/timerfd.h>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// Waits for a timer of its own.
void pass(std::chrono::nanoseconds time) {
  const base::file_descriptor timer{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
  REQUIRE(timer);
  const auto until = clock::now() + time;
  set_timer(timer, until);
  pollfd watched{timer.get(), POLLIN, 0};
  REQUIRE(::poll(&watched, 1, 10'000) == 1);
  CHECK(clock::now() >= until);
}

TEST_CASE("no tick comes before its time, and ticks do not drift", "[load]") {
  tick_timer ticks{2ms};
  auto now = clock::now();
  const auto begin = now;
  for (int i = 1; i <= 50; ++i) {
    CAPTURE(i);
    ticks.wait(now);
    now = clock::now();
    CHECK(now >= begin + i * 2ms);
  }
}

TEST_CASE("a tick that has just passed is not waited for", "[load]") {
  tick_timer ticks{400ms};
  const auto begin = clock::now();
  ticks.wait(begin);
  pass(450ms);
  const auto late = clock::now();
  ticks.wait(late);
  const auto done = clock::now();
  // On a machine that was busy for that long, ticks start over.
  if (late < begin + 1'200ms) CHECK(done - late < 350ms);
}

TEST_CASE("ticks start over after a pause: those that were missed do not all come at once",
          "[load]") {
  tick_timer ticks{2ms};
  ticks.wait(clock::now());
  ticks.wait(clock::now());
  pass(20ms);
  const auto again = clock::now();
  ticks.wait(again);
  CHECK(clock::now() >= again + 2ms);
  ticks.wait(clock::now());
  CHECK(clock::now() >= again + 4ms);
}

} // namespace
} // namespace matchcloud::load
