#include "http/transport/exchange.hpp"

#include "tests/catch.hpp"

#include <deque>
#include <memory>

namespace matchcloud::http {
namespace {

using actors::owner;

/// Requests of a transport with few places.
struct bench {
  base::limits limits;
  transport_metrics metrics;
  std::deque<admitted_request> requests;

  bench() {
    limits.in_flight_limit = 16;
    limits.avatar_mailbox = 3;
  }
  admitted_request& add() {
    auto& made = requests.emplace_back();
    REQUIRE(made.permit.acquire(metrics.in_flight, limits.in_flight_limit));
    return made;
  }
  bool enter(const admitted_request& which, owner who, std::uint32_t attempt = 1) {
    exchange_state state;
    state.attempt = attempt;
    return enter_mailbox(which, state, who, limits, metrics);
  }
  std::size_t waiting(owner who) const { return metrics.at_owner[static_cast<std::size_t>(who)]; }
};

const auto second_shard = static_cast<owner>(static_cast<std::size_t>(owner::avatar) + 1);

TEST_CASE("a mailbox takes as many requests as it has places, each owner for itself") {
  bench on;
  for (int i = 0; i < 3; ++i)
    CHECK(on.enter(on.add(), owner::avatar));
  CHECK_FALSE(on.enter(on.add(), owner::avatar));
  CHECK(on.waiting(owner::avatar) == 3);
  CHECK(on.metrics.mailbox_full[kind_of(owner::avatar)].get() == 1);
  CHECK(on.enter(on.add(), second_shard));
  CHECK(on.enter(on.add(), owner::lobby_export));
  CHECK(on.waiting(second_shard) == 1);
}

TEST_CASE("a request gives its place back when it is let go of, and keeps it when sent again") {
  bench on;
  for (int i = 0; i < 3; ++i)
    REQUIRE(on.enter(on.add(), owner::avatar));
  CHECK(on.enter(on.requests[0], owner::avatar, 2));
  CHECK(on.waiting(owner::avatar) == 3);
  on.requests[0].recycle(0);
  CHECK(on.waiting(owner::avatar) == 2);
  CHECK(on.enter(on.add(), owner::avatar));
  on.requests.clear();
  CHECK(on.waiting(owner::avatar) == 0);
  CHECK(on.metrics.in_flight == 0);
}

TEST_CASE("what a front answers itself needs no place") {
  bench on;
  on.limits.avatar_mailbox = 0;
  CHECK(on.enter(on.add(), owner::none));
}

TEST_CASE("the last eighth is for requests that cost most to repeat, and for old ones") {
  bench on;
  for (int i = 0; i < 14; ++i)
    REQUIRE(on.enter(on.add(), owner::region_ranking));
  // 15 of 16: beyond what the cheap may have.
  auto& last_but_one = on.add();
  for (const auto cheap : {owner::region_ranking, owner::validator, owner::media}) {
    CHECK_FALSE(on.enter(last_but_one, cheap));
    CHECK(on.metrics.shed[kind_of(cheap)].get() == 1);
  }
  CHECK(on.waiting(owner::region_ranking) == 14);
  CHECK(on.enter(last_but_one, owner::lobby_export));
  // One that was sent before is not young.
  CHECK(on.enter(on.add(), owner::region_ranking, 2));
  for (const auto count : {&on.metrics.mailbox_full})
    for (const auto& each : *count)
      CHECK(each.get() == 0);
}

TEST_CASE("of less than eight places none is kept") {
  bench on;
  on.limits.in_flight_limit = 7;
  for (int i = 0; i < 7; ++i)
    CHECK(on.enter(on.add(), owner::validator));
}

} // namespace
} // namespace matchcloud::http
