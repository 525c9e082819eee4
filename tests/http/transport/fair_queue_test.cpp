#include "http/transport/fair_queue.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <array>
#include <deque>
#include <string>

namespace matchcloud::http {
namespace {

std::string drain(fair_queue<char>& of) {
  std::string all;
  while (const auto next = of.pop())
    all += next->item;
  return all;
}

TEST_CASE("a client that waits for little is not behind one that waits for much") {
  fair_queue<char> queue;
  for (int i = 0; i < 100; ++i)
    queue.push(7, 'a');
  queue.push(3, 'b');
  queue.push(3, 'c');
  CHECK(drain(queue).substr(0, 6) == "abacaa");
  CHECK(queue.is_empty());
}

TEST_CASE("a lane that is held back waits, and the others go on") {
  fair_queue<char> queue;
  queue.push(1, 'a');
  queue.push(2, 'b');
  queue.hold(1);
  queue.push(1, 'c');
  CHECK(drain(queue) == "b");
  CHECK(queue.size() == 2);
  CHECK(queue.release(1));
  CHECK(drain(queue) == "ac");
  CHECK_FALSE(queue.release(1));
}

TEST_CASE("a cleared queue is empty and can be used again") {
  fair_queue<char> queue;
  queue.push(1, 'a');
  queue.push(2, 'b');
  queue.hold(2);
  queue.clear();
  CHECK(queue.is_empty());
  CHECK_FALSE(queue.pop());
  queue.push(1, 'c');
  queue.push(2, 'd');
  CHECK(drain(queue) == "c");
  CHECK(queue.release(2));
  CHECK(drain(queue) == "d");
}

TEST_CASE("lanes are first in, first out, and none waits for more than one of each other lane") {
  REQUIRE(rc::check("fair", [] {
    constexpr std::size_t lanes = 5;
    fair_queue<int> queue;
    std::array<std::deque<int>, lanes> expected;
    /// How many items of others came since the lane had one to give, without one of it.
    std::array<std::array<int, lanes>, lanes> passed{};
    int number = 0;
    for (const auto step : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10))) {
      if (step < static_cast<int>(lanes)) {
        queue.push(static_cast<lane>(step), number);
        expected[static_cast<std::size_t>(step)].push_back(number++);
        continue;
      }
      const auto next = queue.pop();
      std::size_t waiting = 0;
      for (const auto& each : expected)
        waiting += each.size();
      RC_ASSERT(next.has_value() == (waiting > 0));
      if (!next) continue;
      const auto from = static_cast<std::size_t>(next->from);
      RC_ASSERT(!expected[from].empty() && expected[from].front() == next->item);
      expected[from].pop_front();
      passed[from] = {};
      for (std::size_t other = 0; other < lanes; ++other)
        if (other != from && !expected[other].empty()) RC_ASSERT(++passed[other][from] <= 1);
      RC_ASSERT(queue.size() == waiting - 1);
    }
  }));
}

} // namespace
} // namespace matchcloud::http
