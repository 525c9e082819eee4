#include "base/blocking_pool.hpp"

#include "tests/catch.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <set>
#include <vector>

namespace matchcloud::base {
namespace {

TEST_CASE("a pool runs tasks on a thread of its own, in order where it has one") {
  std::vector<int> order;
  std::promise<std::thread::id> where;
  {
    thread_pool pool{1, 19};
    REQUIRE(pool.submit([&] { order.push_back(1); }));
    REQUIRE(pool.submit([&] { order.push_back(2); }));
    REQUIRE(pool.submit([&] { where.set_value(std::this_thread::get_id()); }));
    CHECK(where.get_future().get() != std::this_thread::get_id());
  }
  CHECK(order == std::vector{1, 2});
}

TEST_CASE("a full queue refuses, and the refused task never runs") {
  std::promise<void> started;
  std::promise<void> go_on;
  std::atomic<int> ran{0};
  {
    thread_pool pool{1, 0, 2};
    REQUIRE(pool.submit([&] {
      started.set_value();
      go_on.get_future().wait();
    }));
    started.get_future().wait(); // running: no longer in the queue
    CHECK(pool.submit([&] { ran += 1; }));
    CHECK(pool.submit([&] { ran += 10; }));
    CHECK(pool.queued() == 2);
    CHECK(!pool.submit([&] { ran += 100; }));
    go_on.set_value();
  }
  CHECK(ran == 11);
}

TEST_CASE("destruction waits for what is queued") {
  constexpr int tasks = 200;
  std::atomic<int> ran{0};
  {
    thread_pool pool{3, 0};
    for (int i = 0; i < tasks; ++i)
      REQUIRE(pool.submit([&] { ++ran; }));
  }
  CHECK(ran == tasks);
}

TEST_CASE("several threads work at once") {
  std::promise<void> first;
  std::promise<void> second;
  thread_pool pool{2, 0};
  // Each task waits for the other: a single thread would deadlock.
  std::promise<void> both;
  REQUIRE(pool.submit([&] {
    first.set_value();
    second.get_future().wait();
    both.set_value();
  }));
  REQUIRE(pool.submit([&] {
    first.get_future().wait();
    second.set_value();
  }));
  both.get_future().wait();
}

} // namespace
} // namespace matchcloud::base
