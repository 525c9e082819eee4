#include "http/transport/fair_queue.hpp"

#include "http/transport/connection_table.hpp"
#include "http/transport/loop_transport.hpp"
#include "http/transport/shared_bounds.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "tests/catch.hpp"

#include <array>
#include <deque>
#include <memory>
#include <rapidcheck.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::http {
namespace {

std::string drain(fair_queue<char>& of) {
  std::string all;
  while (const auto next = of.pop())
    all += next->item;
  return all;
}

TEST_CASE("lanes take turns") {
  fair_queue<char> queue;
  for (int i = 0; i < 100; ++i)
    queue.push(7, 'a');
  queue.push(3, 'b');
  queue.push(3, 'c');
  CHECK(drain(queue).substr(0, 6) == "abacaa");
  CHECK(queue.is_empty());
}

TEST_CASE("a held lane waits, and the others go on") {
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

constexpr auto limit = request_queue::units_in_service_limit;

dispatch request_of(std::uint64_t number) {
  return {{number, 1}, nullptr};
}

TEST_CASE("a request's units follow its body's size, up to a quarter of the limit") {
  CHECK(request_queue::units_of(0) == 1);
  CHECK(request_queue::units_of(511) == 1);
  CHECK(request_queue::units_of(512) == 2);
  CHECK(request_queue::units_of(6'000) == 12);
  CHECK(request_queue::units_of(1'000'000'000) == limit / 4);
}

TEST_CASE("a client with its share in service waits; another does not") {
  request_queue queue;
  queue.push(1, request_of(10));
  queue.push(1, request_of(11));
  queue.push(2, request_of(20));
  CHECK(queue.take()->item.exchange.exchange == 10);
  CHECK(queue.begin_service(1, limit));
  CHECK(queue.take()->item.exchange.exchange == 20);
  CHECK_FALSE(queue.begin_service(2, 1));
  CHECK_FALSE(queue.take());
  CHECK(queue.end_service(1, limit));
  CHECK(queue.take()->item.exchange.exchange == 11);
  CHECK_FALSE(queue.end_service(2, 1));
}

TEST_CASE("a client is held while its units exceed the limit") {
  request_queue queue;
  CHECK_FALSE(queue.begin_service(1, limit - 1));
  CHECK(queue.begin_service(1, limit));
  queue.push(1, request_of(10));
  CHECK_FALSE(queue.take());
  CHECK_FALSE(queue.end_service(1, limit - 1)); // the other alone fills the share
  CHECK_FALSE(queue.take());
  CHECK(queue.end_service(1, limit));
  CHECK(queue.take());
}

TEST_CASE("once half of the places are taken, a client has a quarter") {
  request_queue queue;
  constexpr std::size_t places = 100;
  std::size_t taken = 0;
  for (; taken < places / 2; ++taken)
    CHECK(queue.enter(1, taken + 1, places));
  CHECK_FALSE(queue.enter(1, places / 2 + 1, places));
  for (; taken < places / 2 + places / 4; ++taken)
    CHECK(queue.enter(2, taken + 1, places));
  CHECK_FALSE(queue.enter(2, taken + 1, places));
  queue.leave(2);
  CHECK(queue.enter(2, taken, places));
}

TEST_CASE("a pool keeps up to its limit and gives back what it keeps") {
  object_pool<int> pool{2};
  CHECK(!pool.take());
  for (const int each : {1, 2, 3})
    pool.keep(each);
  CHECK(pool.size() == 2);
  CHECK(pool.take() == 2);
  CHECK(pool.take() == 1);
  CHECK(pool.is_empty());
}

TEST_CASE("a pool drops objects that were unused since the last time") {
  object_pool<std::shared_ptr<int>> pool{10};
  for (int i = 0; i < 8; ++i)
    pool.keep(std::make_shared<int>(i));
  pool.drop_unused(); // they were returned since the last call
  CHECK(pool.size() == 8);
  {
    const auto first = pool.take();
    const auto second = pool.take();
    pool.keep(*second);
    pool.keep(*first);
  }
  pool.drop_unused();
  CHECK(pool.size() == 2);
  pool.drop_unused();
  CHECK(pool.is_empty());
}

model::ip_address address(std::string_view text) {
  return *model::parse_ip_address(text);
}

TEST_CASE("an address has its share of connections and not one more") {
  connection_shares shares;
  const auto client = address("192.0.2.1");
  CHECK(shares.enter(client, 2));
  CHECK(shares.enter(client, 2));
  CHECK(!shares.enter(client, 2));
  CHECK(shares.count_of(client) == 2);
  CHECK(shares.count_of(address("192.0.2.2")) == 0);
  CHECK(shares.enter(address("192.0.2.2"), 2));
  shares.leave(client);
  CHECK(shares.enter(client, 2));
  CHECK(!shares.enter(client, 2));
}

TEST_CASE("of IPv6 the first 64 bits are one client") {
  connection_shares shares;
  CHECK(shares.enter(address("2001:db8:1:2::1"), 1));
  CHECK(!shares.enter(address("2001:db8:1:2:ffff::"), 1));
  CHECK(shares.enter(address("2001:db8:1:3::1"), 1));
}

TEST_CASE("shares are counted by several threads at once") {
  connection_shares shares;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        const bool entered = shares.enter(address("192.0.2.1"), 1'000);
        if (entered) shares.leave(address("192.0.2.1"));
      }
    });
  for (auto& each : threads)
    each.join();
  CHECK(shares.enter(address("192.0.2.1"), 1));
}

TEST_CASE("which ids of clients are used") {
  struct expectation {
    std::string id;
    bool sane;
  };
  const expectation table[] = {{"a", true},
                               {"0b9c-_.:/+=@Z", true},
                               {std::string(128, 'x'), true},
                               {std::string(129, 'x'), false},
                               {"", false},
                               {"a b", false},
                               {"a\tb", false},
                               {"a\"b", false},
                               {"a,b", false},
                               {"<script>", false},
                               {"a\\b", false},
                               {std::string("a\0b", 3), false},
                               {"\xC3\xA9", false},
                               {"a;b", false},
                               {"a%0d", false}};
  for (const auto& row : table) {
    CAPTURE(row.id);
    CHECK(is_sane_request_id(row.id) == row.sane);
  }
}

TEST_CASE("ids of one source differ, and differ from another's") {
  request_id_source first{0x0123456789abcdef};
  request_id_source second{0xfedcba9876543210};
  std::set<std::string> seen;
  for (int i = 0; i < 1'000; ++i) {
    CHECK(seen.insert(first.next()).second);
    CHECK(seen.insert(second.next()).second);
  }
  for (const auto& id : seen)
    CHECK(is_sane_request_id(id));
  CHECK(request_id_source{0xab}.next() == "00000000000000ab0000000000000001");
}

TEST_CASE("a request keeps its client's id if it is sane") {
  request_id_source source{1};
  request received;
  received.set(header::x_request_id, "from-client");
  source.assign(received);
  CHECK(received.id == "from-client");
  received.set(header::x_request_id, "no good");
  source.assign(received);
  CHECK(received.id == "00000000000000010000000000000001");
  request silent;
  silent.id = "of the previous request";
  source.assign(silent);
  CHECK(silent.id == "00000000000000010000000000000002");
}

using std::chrono::milliseconds;

base::steady_time at(int ms) {
  return base::steady_time{milliseconds{ms}};
}

TEST_CASE("the oldest go first, and no more than a limited number are named") {
  eviction_order order;
  CHECK(!order.next());
  std::vector<eviction_order::candidate> all;
  constexpr int count = 1'000;
  for (int i = 0; i < count; ++i)
    all.push_back({at((i * 7) % count), static_cast<std::uint32_t>(i)});
  order.fill(std::move(all), count, at(0));
  for (std::size_t i = 0; i < eviction_order::length_limit; ++i)
    CHECK(order.next()->since == at(static_cast<int>(i)));
  CHECK(!order.next());
  CHECK(order.may_look(at(0)));
}

TEST_CASE("searches that find few candidates pause") {
  constexpr auto looks = eviction_order::looks_per_eviction;
  eviction_order order;
  order.fill({}, looks - 1, at(0));
  CHECK(order.may_look(at(0)));
  order.fill({}, looks, at(0));
  CHECK(!order.may_look(at(0) + eviction_order::look_pause - milliseconds{1}));
  CHECK(order.may_look(at(0) + eviction_order::look_pause));

  eviction_order few;
  few.fill({{at(1), 1}}, 2 * looks - 1, at(0));
  CHECK(few.may_look(at(0)));
  few.fill({{at(1), 1}}, 2 * looks, at(0));
  CHECK(!few.may_look(at(0)));
}

} // namespace
} // namespace matchcloud::http
