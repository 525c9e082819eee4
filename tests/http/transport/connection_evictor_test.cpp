#include "http/transport/connection_table.hpp"

#include "tests/catch.hpp"

namespace matchcloud::http {
namespace {

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

TEST_CASE("looks that find next to nobody are not repeated at once") {
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
