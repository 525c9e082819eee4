#include "http/loop/event_loop.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace matchcloud::http {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

const base::steady_time begin_time{5h};
constexpr auto tick = timer_queue::tick;
/// Longer than most deadlines.
constexpr milliseconds revolution{16'384};

struct alarm final : timer {
  std::function<void()> action;
  int fired = 0;

  void on_deadline() override {
    ++fired;
    if (action) action();
  }
};

/// The time until `what` fires, advancing the queue every millisecond.
milliseconds fires_after(timer_queue& queue, const alarm& what, milliseconds from,
                         milliseconds give_up) {
  const int before = what.fired;
  for (auto at = from; at <= give_up; at += 1ms) {
    queue.advance(begin_time + at);
    if (what.fired != before) return at;
  }
  return milliseconds::max();
}

TEST_CASE("a deadline passes never early and at most one tick late") {
  for (const int deadline : {0, 1, 15, 16, 17, 31, 32, 33, 1'000, 16'367, 16'368, 16'383, 16'384,
                             16'385, 40'000, 75'000}) {
    CAPTURE(deadline);
    timer_queue queue{begin_time};
    alarm one;
    queue.arm(one, begin_time + milliseconds{deadline});
    CHECK(one.armed());
    const auto at = fires_after(queue, one, 0ms, 80'000ms);
    CHECK(at >= milliseconds{deadline});
    CHECK(at <= milliseconds{deadline} + tick);
    CHECK(!one.armed());
    queue.advance(begin_time + 200'000ms);
    CHECK(one.fired == 1);
  }
}

TEST_CASE("a deadline that passed fires with the next tick") {
  timer_queue queue{begin_time};
  queue.advance(begin_time + 1'000ms);
  alarm one;
  queue.arm(one, begin_time);
  CHECK(fires_after(queue, one, 1'000ms, 2'000ms) <= 1'000ms + tick);
}

TEST_CASE("a cancelled timer stays silent and can be armed again") {
  timer_queue queue{begin_time};
  alarm one;
  queue.arm(one, begin_time + 100ms);
  queue.cancel(one);
  CHECK(!one.armed());
  CHECK(!queue.next_delay(begin_time));
  queue.cancel(one);
  queue.advance(begin_time + 300ms);
  CHECK(one.fired == 0);
  queue.arm(one, begin_time + 400ms);
  queue.advance(begin_time + 500ms);
  CHECK(one.fired == 1);
}

TEST_CASE("a timer takes itself off the queue") {
  timer_queue queue{begin_time};
  alarm stays;
  {
    alarm goes;
    queue.arm(goes, begin_time + 10ms);
    queue.arm(stays, begin_time + 10ms);
  }
  queue.advance(begin_time + 100ms);
  CHECK(stays.fired == 1);
}

TEST_CASE("a timer may destroy itself when it fires, or arm itself again") {
  timer_queue queue{begin_time};
  auto mortal = std::make_unique<alarm>();
  mortal->action = [&mortal] { mortal.reset(); };
  queue.arm(*mortal, begin_time + 10ms);
  alarm periodic;
  auto next = begin_time + 10ms;
  periodic.action = [&] { queue.arm(periodic, next += revolution); };
  queue.arm(periodic, next);
  queue.advance(begin_time + 100ms);
  CHECK(mortal == nullptr);
  CHECK(periodic.fired == 1);
  queue.advance(begin_time + 100ms + revolution * 3);
  CHECK(periodic.fired == 4);
}

TEST_CASE("next_delay of what is overdue is zero") {
  timer_queue queue{begin_time};
  alarm one;
  queue.arm(one, begin_time + 100ms);
  CHECK(queue.next_delay(begin_time + 10'000ms) == 0ms);
}

TEST_CASE("a queue behaves like a list of deadlines") {
  const bool held = rc::check([] {
    constexpr std::size_t timers = 6;
    const auto history = *rc::gen::container<std::vector<std::tuple<int, std::size_t, int>>>(
        rc::gen::tuple(rc::gen::inRange(0, 5), rc::gen::inRange<std::size_t>(0, timers),
                       rc::gen::oneOf(rc::gen::inRange(0, 100), rc::gen::inRange(0, 60'000))));
    timer_queue queue{begin_time};
    std::vector<alarm> all(timers);
    std::vector<std::optional<base::steady_time>> model(timers);
    std::vector<int> expected(timers, 0);
    auto now = begin_time;
    for (const auto& [what, which, ms] : history) {
      if (what <= 1) {
        model[which] = now + milliseconds{ms};
        queue.arm(all[which], *model[which]);
      } else if (what == 2) {
        model[which].reset();
        queue.cancel(all[which]);
      } else {
        // Like the loop, never sleeps past a deadline by more than a tick.
        if (const auto delay = queue.next_delay(now)) {
          for (const auto& deadline : model)
            if (deadline) RC_ASSERT(now + *delay <= std::max(now, *deadline) + tick + 1ms);
        } else {
          for (const auto& deadline : model)
            RC_ASSERT(!deadline.has_value());
        }
        now += milliseconds{ms};
        const auto before = [&] {
          std::vector<int> counts;
          for (const auto& one : all)
            counts.push_back(one.fired);
          return counts;
        }();
        queue.advance(now);
        for (std::size_t i = 0; i < timers; ++i) {
          const bool fired = all[i].fired != before[i];
          RC_ASSERT(all[i].fired - before[i] <= 1);
          RC_ASSERT(!fired || (model[i] && *model[i] <= now));            // never early
          RC_ASSERT(fired || !model[i] || *model[i] + tick + tick > now); // not left behind
          RC_ASSERT(all[i].armed() == (model[i].has_value() && !fired));
          if (fired) model[i].reset();
        }
      }
    }
  });
  REQUIRE(held);
}

} // namespace
} // namespace matchcloud::http
