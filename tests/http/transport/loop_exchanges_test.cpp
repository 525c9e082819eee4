#include "http/transport/loop_transport.hpp"

#include "tests/http/transport/loop_transport_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using base::owner;

TEST_CASE("references that nobody gave out are nobody's") {
  transport_bench on;
  CHECK_FALSE(on.transport->exchanges().find({~std::uint64_t{0}, 1}));
  CHECK_FALSE(on.transport->exchanges().find({0, 0}));
  on.transport->exchanges().answer({std::uint64_t{7} << 32U, 1}, response{});
  client one{on.port};
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 1; }));
  CHECK_FALSE(on.transport->exchanges().find({0, 0}));
}

TEST_CASE("the exchange over the limit is 503, and the place is free again after an answer") {
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

TEST_CASE("a new front gets what the old one did not answer, as a further attempt") {
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

TEST_CASE("only what waits for the owner that came back is sent again; three times at most") {
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
  // From now on this request is the one that kills the owner.
  on.routed(on.seen->at(2), owner::validator);
  claim(on.seen->at(2).request, actors::handler::owner);
  on.transport->exchanges().redispatch(owner::validator);
  REQUIRE(on.see(4));
  on.routed(on.seen->at(3), owner::validator);
  claim(on.seen->at(3).request, actors::handler::owner);
  on.transport->exchanges().redispatch(owner::validator);
  REQUIRE(on.see(5));
  on.routed(on.seen->at(4), owner::validator);
  claim(on.seen->at(4).request, actors::handler::owner);
  on.transport->exchanges().redispatch(owner::validator);
  CHECK(on.sees(validates, "\"code\":\"unavailable\""));
  CHECK(on.counted().redispatched.get() == 3);
  on.answer(on.seen->at(1), "untouched");
  CHECK(on.sees(ranks, "untouched"));
}

TEST_CASE("clients take turns, however many requests of one wait") {
  named_clients clients;
  for (int i = 0; i < 60; ++i)
    clients.ask_as("192.0.2.1");
  REQUIRE(clients.arrived(60)); // there is no front yet: they wait
  clients.ask_as("192.0.2.2");
  clients.ask_as("192.0.2.2");
  REQUIRE(clients.arrived(62));
  clients.on.attach();
  REQUIRE(clients.on.see(62));
  std::size_t last = 0;
  for (std::size_t i = 0; i < 62; ++i)
    if (clients.peer_of(i) == "192.0.2.2") last = i;
  CHECK(last <= 3);
}

TEST_CASE("a client has a bounded share in service, and another is served at the same time") {
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

TEST_CASE("what a dead front had in service is given out again in full") {
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
