#include "actors/supervisor.hpp"

#include "tests/catch.hpp"

namespace matchcloud::actors {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const base::steady_time begin{seconds{3'600}};

TEST_CASE("the first restarts of a place come at once, the one too many waits") {
  restart_policy policy;
  for (std::size_t i = 0; i < restart_policy::intensity; ++i)
    CHECK(policy.next_delay(begin + milliseconds{i}) == milliseconds{0});
  CHECK(policy.next_delay(begin + milliseconds{5}) == restart_policy::backoff);
  CHECK(policy.next_delay(begin + milliseconds{1'005}) == restart_policy::backoff);
}

TEST_CASE("the window is closed at its end: ten seconds count, more do not") {
  restart_policy at_the_edge;
  restart_policy beyond;
  for (std::size_t i = 0; i < restart_policy::intensity; ++i) {
    at_the_edge.next_delay(begin);
    beyond.next_delay(begin);
  }
  CHECK(at_the_edge.next_delay(begin + restart_policy::window) == restart_policy::backoff);
  CHECK(beyond.next_delay(begin + restart_policy::window + milliseconds{1}) == milliseconds{0});
}

TEST_CASE("restarts that are far apart never wait") {
  restart_policy policy;
  for (int i = 0; i < 100; ++i)
    CHECK(policy.next_delay(begin + milliseconds{2'001} * i) == milliseconds{0});
}

TEST_CASE("a place that keeps dying keeps waiting, and recovers when it has been quiet") {
  restart_policy policy;
  auto now = begin;
  for (int i = 0; i < 50; ++i) {
    const auto delay = policy.next_delay(now);
    CHECK(delay == (i < 5 ? milliseconds{0} : restart_policy::backoff));
    now += delay;
  }
  CHECK(policy.next_delay(now + restart_policy::window + seconds{1}) == milliseconds{0});
}

} // namespace
} // namespace matchcloud::actors
