#include "http/transport/client_exchange.hpp"
#include "http/transport/exchange.hpp"

#include "tests/catch.hpp"

#include <deque>
#include <memory>

namespace matchcloud::http {
namespace {

using actors::handler;
using base::owner;

/// Requests of a transport with a small mailbox limit.
struct exchange_bench {
  http::limits limits;
  transport_metrics metrics;
  std::deque<admitted_request> requests;

  exchange_bench() {
    limits.in_flight_limit = 16;
    limits.mailbox(owner::avatar) = 3;
  }
  admitted_request& add() {
    auto& made = requests.emplace_back();
    REQUIRE(made.permit.acquire(metrics.in_flight, limits.in_flight_limit));
    return made;
  }
  bool enter(admitted_request& which, owner who, std::uint32_t attempt = 1) {
    exchange_state state;
    state.attempt = attempt;
    return state.route(which, asked_of(who), who, limits, metrics);
  }
  std::size_t waiting(owner who) const { return metrics.at_owner[index_of(who)]; }
  /// An operation that `who` answers; for those that no case asks, another one.
  static operation asked_of(owner who) {
    switch (who) {
    case owner::none: return operation::ping;
    case owner::validator:
    case owner::large_validator: return operation::validate_version;
    case owner::region_ranking: return operation::list_regions;
    case owner::media: return operation::download_media;
    case owner::lobby_export: return operation::export_lobby_history;
    default: return operation::list_avatars;
    }
  }
};

TEST_CASE("a mailbox takes as many requests as it has places, each owner for itself") {
  exchange_bench on;
  for (int i = 0; i < 3; ++i)
    CHECK(on.enter(on.add(), owner::avatar));
  CHECK_FALSE(on.enter(on.add(), owner::avatar));
  CHECK(on.waiting(owner::avatar) == 3);
  CHECK(on.metrics.mailbox_full[index_of(owner::avatar)].get() == 1);
  CHECK(on.enter(on.add(), owner::media));
  CHECK(on.enter(on.add(), owner::lobby_export));
  CHECK(on.waiting(owner::media) == 1);
}

TEST_CASE("a request gives its place back when it is let go of, and keeps it when sent again") {
  exchange_bench on;
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

TEST_CASE("an exchange notes its operation and owner only where the mailbox has a place") {
  exchange_bench on;
  on.limits.mailbox(owner::avatar) = 1;
  exchange_state first;
  CHECK(first.route(on.add(), operation::list_avatars, owner::avatar, on.limits, on.metrics));
  CHECK(first.operation_id == operation::list_avatars);
  CHECK(first.waits_for == owner::avatar);
  exchange_state second;
  CHECK_FALSE(
      second.route(on.add(), operation::list_avatars, owner::avatar, on.limits, on.metrics));
  CHECK(second.operation_id == operation::unmatched);
  CHECK(second.waits_for == owner::none);
}

TEST_CASE("what a front answers itself needs no place") {
  exchange_bench on;
  on.limits.mailbox(owner::avatar) = 0;
  CHECK(on.enter(on.add(), owner::none));
}

TEST_CASE("the last eighth is for requests that cost most to repeat, and for old ones") {
  exchange_bench on;
  for (int i = 0; i < 14; ++i)
    REQUIRE(on.enter(on.add(), owner::region_ranking));
  // 15 of 16 places are taken: beyond the share of cheap operations.
  auto& last_but_one = on.add();
  for (const auto cheap : {owner::region_ranking, owner::validator, owner::media}) {
    CHECK_FALSE(on.enter(last_but_one, cheap));
    CHECK(on.metrics.shed[index_of(cheap)].get() == 1);
  }
  CHECK(on.waiting(owner::region_ranking) == 14);
  CHECK(on.enter(last_but_one, owner::lobby_export));
  // A request that was dispatched before is not shed.
  CHECK(on.enter(on.add(), owner::region_ranking, 2));
  for (const auto count : {&on.metrics.mailbox_full})
    for (const auto& each : *count)
      CHECK(each.get() == 0);
}

TEST_CASE("clients that ask most are shed first: they get a quarter of the places") {
  exchange_bench on;
  for (int i = 0; i < 4; ++i) {
    auto& noisy = on.add();
    noisy.caller.is_noisy = true;
    REQUIRE(on.enter(noisy, owner::lobby_export));
  }
  auto& refused = on.add(); // the fifth
  refused.caller.is_noisy = true;
  CHECK_FALSE(on.enter(refused, owner::lobby_export));
  CHECK_FALSE(on.enter(refused, owner::region_ranking));
  CHECK(on.metrics.shed[index_of(owner::lobby_export)].get() == 1);
  CHECK(on.enter(refused, owner::lobby_export, 2));
  CHECK(on.enter(on.add(), owner::lobby_export));
  CHECK(on.enter(on.add(), owner::region_ranking));
}

TEST_CASE("the validator of large bodies is not cheap") {
  exchange_bench on;
  for (int i = 0; i < 15; ++i)
    on.add();
  CHECK_FALSE(on.enter(on.add(), owner::validator));
  CHECK(on.enter(on.requests.back(), owner::large_validator));
}

TEST_CASE("of less than eight places none is kept") {
  exchange_bench on;
  on.limits.in_flight_limit = 7;
  for (int i = 0; i < 7; ++i)
    CHECK(on.enter(on.add(), owner::validator));
}

/// The error for a request with state `had` when `dead` died; none if it is dispatched again.
std::optional<base::errc> after_death(bool is_repeatable, handler had, handler dead,
                                      owner waits_for = owner::validator) {
  operation_row row = row_of(operation::validate_game);
  row.is_repeatable = is_repeatable;
  actors::ticket ticket;
  ticket.claimed_by = had;
  exchange_state state;
  state.operation_id = row.id;
  state.waits_for = waits_for;
  const auto why = state.begin_retry(row, ticket, dead);
  CHECK(state.attempt == (why ? 1 : 2));
  CHECK(ticket.claimed_by == handler::nobody);
  return why ? std::optional{why->code} : std::nullopt;
}

TEST_CASE("what is safe to repeat is sent again, no matter which actor had it in hand") {
  for (const auto had : {handler::nobody, handler::front, handler::owner, handler::past_owner})
    for (const auto dead : {handler::front, handler::owner})
      CHECK_FALSE(after_death(true, had, dead));
}

TEST_CASE("what is not safe to repeat is sent again only where no owner can have begun it") {
  // The request waited behind the one that killed the owner.
  CHECK_FALSE(after_death(false, handler::nobody, handler::owner));
  CHECK(after_death(false, handler::owner, handler::owner) == base::errc::outcome_unknown);
  // The owner had already passed it on, for example to a thread.
  CHECK(after_death(false, handler::past_owner, handler::owner) == base::errc::outcome_unknown);
  // The front died with the request before forwarding it, and after.
  CHECK_FALSE(after_death(false, handler::front, handler::front, owner::none));
  CHECK(after_death(false, handler::front, handler::front) == base::errc::outcome_unknown);
}

TEST_CASE("an outcome that is unknown is told with 504, and nobody is asked to come back") {
  const auto answer = refusal(outcome_unknown(), {"id-1"});
  CHECK(answer.status == 504);
  CHECK(answer.fixed_headers.find("Retry-After") == std::string_view::npos);
  CHECK(answer.body_bytes().find("may or may not have happened") != std::string_view::npos);
}

TEST_CASE("a request that kills is given up after as many deaths as may be") {
  actors::ticket ticket;
  exchange_state state;
  const auto& row = row_of(operation::validate_game);
  for (std::uint32_t i = 0; i < resend_limit; ++i) {
    ticket.claimed_by = handler::owner;
    CHECK_FALSE(state.begin_retry(row, ticket, handler::owner));
  }
  ticket.claimed_by = handler::owner;
  const auto why = state.begin_retry(row, ticket, handler::owner);
  REQUIRE(why);
  CHECK(why->code == base::errc::unavailable);
}

} // namespace
} // namespace matchcloud::http
