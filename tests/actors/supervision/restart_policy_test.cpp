#include "actors/supervision/restart_policy.hpp"

#include "tests/catch.hpp"

#include <cstdint>
#include <vector>

namespace matchcloud::actors {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const base::steady_time begin{seconds{3'600}};
/// A random number in the middle of its range: the backoff gets no jitter.
constexpr std::uint32_t middle = 0x7FFF'FFFF;

struct restart_policy_bench {
  restart_policy policy{5, seconds{10}};
  base::steady_time now = begin;

  restart_policy::verdict fail(bool fruitful, std::uint32_t random = middle) {
    return policy.next(now, fruitful, random);
  }
};

TEST_CASE("an actor that handled something restarts at once, however often it dies") {
  restart_policy_bench on;
  for (int i = 0; i < 100; ++i) {
    const auto said = on.fail(true);
    CHECK(said.delay == milliseconds{0});
    CHECK_FALSE(said.storm);
  }
}

TEST_CASE("one that handled nothing restarts at once the first time, then ever later") {
  restart_policy_bench on;
  std::vector<std::int64_t> delays;
  for (int i = 0; i < 11; ++i) {
    delays.push_back(on.fail(false).delay.count());
    on.now += seconds{60};
  }
  CHECK(delays ==
        std::vector<std::int64_t>{0, 49, 99, 199, 399, 799, 1'599, 3'199, 4'999, 4'999, 4'999});
}

TEST_CASE("handling something ends the backoff") {
  restart_policy_bench on;
  for (int i = 0; i < 8; ++i)
    on.fail(false);
  CHECK(on.fail(true).delay == milliseconds{0});
  CHECK(on.fail(false).delay == milliseconds{0});
  CHECK(on.fail(false).delay == milliseconds{49});
}

TEST_CASE("backoffs are spread over half to one and a half times their length") {
  for (const auto& [random, expected] :
       std::vector<std::pair<std::uint32_t, int>>{{0, 25}, {middle, 49}, {UINT32_MAX, 75}}) {
    restart_policy_bench on;
    on.fail(false, random);
    CHECK(on.fail(false, random).delay == milliseconds{expected});
  }
}

TEST_CASE("more fruitless failures than the intensity within the window are a storm") {
  restart_policy_bench on;
  for (int i = 0; i < 5; ++i)
    CHECK_FALSE(on.fail(false).storm);
  CHECK(on.fail(false).storm);
  CHECK_FALSE(on.fail(true).storm); // handled something: not part of a storm
}

TEST_CASE("the window is closed at its end: ten seconds count, more do not") {
  for (const bool within : {true, false}) {
    restart_policy_bench on;
    for (int i = 0; i < 5; ++i)
      on.fail(false);
    on.now += seconds{10} + milliseconds{within ? 0 : 1};
    CHECK(on.fail(false).storm == within);
  }
}

} // namespace
} // namespace matchcloud::actors
