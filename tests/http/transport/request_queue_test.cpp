#include "http/transport/fair_queue.hpp"

#include "tests/catch.hpp"

namespace matchcloud::http {
namespace {

constexpr auto limit = request_queue::units_in_service_limit;

dispatch request_of(std::uint64_t number) {
  return {{number, 1}, nullptr};
}

TEST_CASE("a request counts by the size of its body, at most a quarter of the limit") {
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

TEST_CASE(
    "units of several requests add up until the client is held, and it stays until they fit") {
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

TEST_CASE("one client has a quarter of the places once half of them are taken") {
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

} // namespace
} // namespace matchcloud::http
