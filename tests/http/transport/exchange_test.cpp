#include "http/transport/client_exchange.hpp"
#include "http/transport/exchange.hpp"

#include "http/transport/connection_table.hpp"
#include "http/transport/loop_transport.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/http/transport/connection_fixture.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

#include <array>
#include <deque>
#include <memory>

namespace matchcloud::http {
namespace {

using actors::handler;
using base::errc;
using base::owner;
using fixtures::contains;

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

TEST_CASE("each owner's mailbox has its own limit") {
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

TEST_CASE("a request keeps its place when sent again, and gives it back at its end") {
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

TEST_CASE("an exchange without a place in the mailbox is not routed") {
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

TEST_CASE("the last eighth of the places is for expensive and old requests") {
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

TEST_CASE("noisy clients get a quarter of the places") {
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

TEST_CASE("a repeatable request is sent again after any death") {
  for (const auto had : {handler::nobody, handler::front, handler::owner, handler::past_owner})
    for (const auto dead : {handler::front, handler::owner})
      CHECK_FALSE(after_death(true, had, dead));
}

TEST_CASE("an unrepeatable request is sent again only if no owner began it") {
  // The request waited behind the one that killed the owner.
  CHECK_FALSE(after_death(false, handler::nobody, handler::owner));
  CHECK(after_death(false, handler::owner, handler::owner) == errc::outcome_unknown);
  // The owner had already passed it on, for example to a thread.
  CHECK(after_death(false, handler::past_owner, handler::owner) == errc::outcome_unknown);
  // The front died with the request before forwarding it, and after.
  CHECK_FALSE(after_death(false, handler::front, handler::front, owner::none));
  CHECK(after_death(false, handler::front, handler::front) == errc::outcome_unknown);
}

TEST_CASE("an unknown outcome is 504 without Retry-After") {
  const auto answer = refusal(outcome_unknown(), {"id-1"});
  CHECK(answer.status == 504);
  CHECK_FALSE(contains(answer.fixed_headers, "Retry-After"));
  CHECK(contains(answer.body_bytes(), "may or may not have happened"));
}

TEST_CASE("only deaths by the request itself count towards giving it up") {
  actors::ticket ticket;
  exchange_state state;
  const auto retry = [&](handler had, handler dead) {
    ticket.claimed_by = had;
    return state.begin_retry(row_of(operation::validate_game), ticket, dead);
  };
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(retry(handler::nobody, handler::owner));
    CHECK_FALSE(retry(handler::front, handler::owner));
    CHECK_FALSE(retry(handler::owner, handler::front));
  }
  CHECK(state.attempt == 31);
  for (std::uint32_t i = 0; i < resend_limit; ++i)
    CHECK_FALSE(retry(handler::owner, handler::owner));
  const auto why = retry(handler::owner, handler::owner);
  REQUIRE(why);
  CHECK(why->code == errc::unavailable);
}

using namespace fixtures;

/// A table with connections of a scripted host.
struct connection_table_bench {
  connection_bench on;
  std::array<wire, 3> peers;
  connection_table table;

  connection& add(std::size_t which) {
    return table.add([&](std::uint32_t slot, std::uint32_t generation) {
      return std::make_unique<connection>(on, std::make_unique<scripted_stream>(peers[which]),
                                          address_of(1), slot, generation);
    });
  }
  /// Has an exchange begin on a connection.
  actors::exchange_ref ask(connection& from, std::size_t which) {
    peers[which].to_read = connection_bench::get;
    from.start();
    return from.current();
  }
  void close(connection& which) {
    which.end_now();
    on.end_turn(); // it may be scheduled, and must not be once it is destroyed
    table.note_closed(which);
  }
};

TEST_CASE("a reference finds only the connection with its open exchange") {
  connection_table_bench with;
  auto& first = with.add(0);
  auto& second = with.add(1);
  CHECK(with.table.size() == 2);
  const auto asked = with.ask(second, 1);
  CHECK(with.table.current(asked) == &second);
  CHECK(with.table.current({asked.exchange, asked.attempt + 1}) == nullptr);
  CHECK(with.table.current(first.current()) == nullptr); // it asked for nothing
  CHECK(with.table.current({~std::uint64_t{0}, 1}) == nullptr);
  with.on.end_turn();
  with.close(second);
  CHECK(with.table.current(asked) == nullptr);
}

TEST_CASE("a reused slot has other references") {
  connection_table_bench with;
  auto& gone = with.add(0);
  const auto slot = gone.slot();
  const auto asked = with.ask(gone, 0);
  with.on.end_turn();
  CHECK_FALSE(with.table.drop_closed());
  with.close(gone);
  CHECK(with.table.size() == 1); // until the turn ends
  CHECK(with.table.drop_closed());
  CHECK(with.table.size() == 0);
  CHECK(with.table.in(slot) == nullptr);
  with.table.for_each([](const connection&) { FAIL("nothing is left"); });
  auto& next = with.add(1);
  CHECK(next.slot() == slot);
  CHECK(with.table.slot_count() == 1);
  const auto asks = with.ask(next, 1);
  CHECK(asks != asked);
  CHECK(with.table.current(asked) == nullptr);
  CHECK(with.table.current(asks) == &next);
  with.on.end_turn();
}

TEST_CASE("an exchange over the limit is 503 until another one ends") {
  http::limits few;
  few.in_flight_limit = 2;
  transport_bench on{few};
  on.attach();
  client first{on.port};
  client second{on.port};
  client third{on.port};
  first.send(get);
  second.send(get);
  REQUIRE(on.see(2));
  CHECK(on.counted().in_flight.load() == 2);
  third.send(get);
  CHECK(on.sees(third, "\"code\":\"overloaded\""));
  CHECK(on.seen->size() == 2);
  on.answer(on.seen->at(0), "{}");
  third.send(get);
  CHECK(on.see(3));
}

TEST_CASE("without a front exchanges wait for one") {
  transport_bench on;
  client one{on.port};
  one.send(get);
  REQUIRE(on.turn_until([&] { return on.counted().in_flight.load() == 1; }));
  on.attach();
  REQUIRE(on.see(1));
  CHECK(on.seen->at(0).exchange.attempt == 1); // nobody was asked before
  CHECK(on.counted().redispatched.get() == 0);
  on.answer(on.seen->at(0), "late but there");
  CHECK(on.sees(one, "late but there"));
}

TEST_CASE("a new front gets unanswered requests as a further attempt") {
  transport_bench on;
  const auto first = on.attach();
  client answered{on.port};
  client waiting{on.port};
  answered.send(get);
  REQUIRE(on.see(1));
  on.answer(on.seen->at(0), "{}");
  waiting.send(get);
  REQUIRE(on.see(2));
  on.actors.kill(first);
  on.attach();
  REQUIRE(on.see(3));
  CHECK(on.seen->at(2).exchange.exchange == on.seen->at(1).exchange.exchange);
  CHECK(on.seen->at(2).exchange.attempt == 2);
  on.answer(on.seen->at(1), "of the dead one");
  on.settle();
  CHECK(waiting.received().empty());
  on.answer(on.seen->at(2), "of the new one");
  CHECK(on.sees(waiting, "of the new one"));
}

TEST_CASE("only requests that wait for the owner that came back are sent again") {
  transport_bench on;
  on.attach();
  client validates{on.port};
  client ranks{on.port};
  validates.send(get);
  REQUIRE(on.see(1));
  ranks.send(get);
  REQUIRE(on.see(2));
  on.routed(on.seen->at(0), owner::validator);
  on.routed(on.seen->at(1), owner::region_ranking);
  on.transport->exchanges().redispatch(owner::validator);
  REQUIRE(on.see(3));
  CHECK(on.seen->at(2).exchange == actors::exchange_ref{on.seen->at(0).exchange.exchange, 2});
  on.settle();
  CHECK(on.seen->size() == 3);
  // The request is not routed yet: no owner has it.
  on.transport->exchanges().redispatch(owner::validator);
  on.settle();
  CHECK(on.seen->size() == 3);
  CHECK(on.counted().redispatched.get() == 1);
  on.answer(on.seen->at(1), "untouched");
  CHECK(on.sees(ranks, "untouched"));
}

TEST_CASE("a client has a bounded share in service") {
  named_clients clients;
  auto& on = clients.on;
  on.attach();
  constexpr std::size_t share = request_queue::units_in_service_limit;
  for (std::size_t i = 0; i < share + 10; ++i)
    clients.ask_as("192.0.2.1");
  REQUIRE(clients.arrived(share + 10));
  on.settle();
  CHECK(on.seen->size() == share);
  CHECK(on.counted().clients_held.get() == 1);
  clients.ask_as("192.0.2.2");
  REQUIRE(on.see(share + 1));
  CHECK(clients.peer_of(share) == "192.0.2.2");
  on.answer(on.seen->at(0), "{}");
  REQUIRE(on.see(share + 2));
  // What may take minutes does not stand in the way of what does not.
  on.transport->exchanges().routed(on.seen->at(1).exchange, operation::export_lobby_history,
                                   owner::lobby_export);
  REQUIRE(on.see(share + 3));
  // A client that leaves makes room, too.
  clients.all[2]->close();
  on.answer(on.seen->at(2), "{}");
  CHECK(on.see(share + 4));
}

TEST_CASE("all requests in service at a dead front are sent again") {
  named_clients clients;
  auto& on = clients.on;
  const auto first = on.attach();
  constexpr std::size_t share = request_queue::units_in_service_limit;
  for (std::size_t i = 0; i < share + 10; ++i)
    clients.ask_as("192.0.2.1");
  REQUIRE(clients.arrived(share + 10));
  on.settle();
  REQUIRE(on.seen->size() == share);
  on.actors.kill(first);
  on.attach();
  on.settle();
  CHECK(on.seen->size() == 2 * share);
  for (std::size_t i = share; i < on.seen->size(); ++i)
    on.answer(on.seen->at(i), "{}");
  on.settle();
  CHECK(on.seen->size() == 2 * share + 10);
}

} // namespace
} // namespace matchcloud::http
