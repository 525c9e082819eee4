#include "http/transport/connection_acceptor.hpp"

#include "tests/contains.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;

TEST_CASE("at the connection limit, where none is idle, others wait until one leaves") {
  http::limits few;
  few.connection_limit = 1;
  transport_bench on{few};
  on.attach();
  auto first = std::make_unique<client>(on.port);
  first->send("GET");
  REQUIRE(on.turn_until([&] { return on.counted().received_bytes.get() == 3; }));
  client second{on.port};
  second.send(get);
  on.settle();
  CHECK(on.transport->connection_count() == 1);
  CHECK(on.seen->empty());
  first->close();
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 0; }));
  on.clock.advance(connection_acceptor::accept_pause + timer_queue::tick);
  CHECK(on.see(1));
  CHECK(on.bounds.connections == 1);
}

TEST_CASE("at the connection limit the longest idle connection is closed") {
  http::limits few;
  few.connection_limit = 4;
  few.connection_share_percent = 100;
  transport_bench on{few};
  on.attach();
  std::vector<std::unique_ptr<client>> all;
  const auto connect = [&] { all.push_back(std::make_unique<client>(on.port)); };
  for (std::size_t i = 0; i < 4; ++i) {
    connect();
    REQUIRE(on.turn_until([&] { return on.transport->connection_count() == i + 1; }));
    on.clock.advance(std::chrono::milliseconds{10});
  }
  // The first is reading a head and the second was just answered, so the third is idle longest.
  all[0]->send("GET");
  all[1]->send(get);
  REQUIRE(on.see(1));
  on.answer(on.seen->at(0), "{}");
  REQUIRE(on.sees(*all[1], "{}"));
  connect();
  REQUIRE(on.turn_until([&] { return all[2]->ended(); }));
  all[4]->send(get);
  REQUIRE(on.see(2));
  CHECK(on.counted().connections_evicted_idle.get() == 1);
  // The fourth's request waits in its socket: it is no longer idle when it is its turn to be
  // evicted.
  on.clock.advance(std::chrono::milliseconds{10});
  all[3]->send(get);
  connect();
  REQUIRE(on.turn_until([&] { return all[1]->ended(); }));
  REQUIRE(on.see(3));
  on.answer(on.seen->at(2), "{}");
  CHECK(on.sees(*all[3], "{}"));
  CHECK(!all[0]->ended());
  CHECK(on.bounds.connections == 4);
  CHECK(on.counted().connections_evicted_idle.get() == 2);
}

/// A second loop of the same service with its own listener.
struct second_loop {
  explicit second_loop(transport_bench& of) : on{of} {
    auto sockets = listen_on(loopback, 1, 64);
    REQUIRE(sockets);
    port = sockets->where.port;
    transport.acceptor().listen(std::move(sockets->sockets[0]));
  }
  ~second_loop() { transport.end_now(); }

  template <class Condition>
  bool turn_both(Condition&& condition) {
    return on.turn_until([&] {
      loop.post([] {});
      loop.run_once();
      return condition();
    });
  }

  transport_bench& on;
  event_loop loop{on.actors.system, on.clock};
  loop_transport transport{loop, on.clock, on.pool, on.bounds, on.rules, on.metrics, 2, [] {}};
  std::uint16_t port = 0;
};

TEST_CASE("a loop without idle connections has another close one") {
  http::limits few;
  few.connection_limit = 2;
  few.connection_share_percent = 100;
  transport_bench on{few};
  on.attach();
  second_loop other{on};
  client idle{on.port};
  REQUIRE(other.turn_both([&] { return on.transport->connection_count() == 1; }));
  client busy{other.port};
  busy.send("GET");
  REQUIRE(other.turn_both([&] { return on.counted().received_bytes.get() == 3; }));
  client next{other.port};
  REQUIRE(other.turn_both([&] { return idle.ended(); }));
  on.clock.advance(connection_acceptor::accept_pause + timer_queue::tick);
  CHECK(other.turn_both([&] { return other.transport.connection_count() == 2; }));
  CHECK(!busy.ended());
}

TEST_CASE("a new connection evicts its address's idle one on another loop") {
  http::limits few;
  few.connection_limit = 8;
  transport_bench on{few};
  on.attach();
  second_loop other{on};
  std::vector<std::unique_ptr<client>> idle;
  for (std::size_t i = 0; i < 4; ++i)
    idle.push_back(std::make_unique<client>(on.port));
  REQUIRE(other.turn_both([&] { return on.transport->connection_count() == 4; }));
  client busy{other.port};
  busy.send("GET");
  REQUIRE(other.turn_both([&] { return other.transport.connection_count() == 1; }));
  CHECK(other.turn_both([&] { return on.transport->connection_count() == 3; }));
  REQUIRE(other.turn_both([&] { return on.counted().received_bytes.get() == 3; }));
  // The second loop's half of a share of two is taken by a connection that is not idle.
  client refused{other.port};
  CHECK(other.turn_both([&] { return refused.ended(); }));
  CHECK(refused.received().starts_with("HTTP/1.1 503 "));
  CHECK(on.transport->connection_count() == 3);
}

TEST_CASE("in a half-full service an address beyond its share gets 503") {
  http::limits few;
  few.connection_limit = 8;
  transport_bench on{few};
  std::vector<std::unique_ptr<client>> all;
  const auto connect = [&] {
    all.push_back(std::make_unique<client>(on.port));
    return all.back().get();
  };
  for (std::size_t i = 0; i < 4; ++i) {
    connect()->send("GET");
    REQUIRE(on.turn_until([&] { return on.counted().received_bytes.get() == 3 * (i + 1); }));
  }
  auto* refused = connect();
  REQUIRE(on.turn_until([&] { return refused->ended(); }));
  CHECK(refused->received().starts_with("HTTP/1.1 503 "));
  CHECK(contains(refused->received(), "\r\nRetry-After: 1\r\n"));
  CHECK(contains(refused->received(), "\"code\":\"overloaded\""));
  CHECK(on.bounds.connections == 4);
  CHECK(on.counted().connections_refused.get() == 1);
  // 25 % of eight is two: with only one left in the share, there is room again.
  for (std::size_t i = 0; i < 3; ++i)
    all[i]->close();
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 1; }));
  connect();
  CHECK(on.turn_until([&] { return on.transport->connection_count() == 2; }));
}

TEST_CASE("an address that has its share replaces its own idle connections") {
  http::limits few;
  few.connection_limit = 100;
  transport_bench on{few};
  on.attach();
  std::vector<std::unique_ptr<client>> silent;
  for (int i = 0; i < 140; ++i) {
    silent.push_back(std::make_unique<client>(on.port));
    on.turn();
  }
  client peer{on.port};
  peer.send(get);
  REQUIRE(on.see(1));
  on.answer(on.seen->at(0), "{}");
  CHECK(on.sees(peer, "{}"));
  CHECK(on.bounds.connections <= 51);
  CHECK(on.counted().connections_refused.get() == 0);
}

TEST_CASE("behind a trusted proxy, each client has its own share of connections") {
  http::limits few;
  few.connection_limit = 8;
  transport_bench on{few, proxy_trust{{*model::parse_cidr("127.0.0.0/8")}}};
  on.attach();
  auto sockets = listen_on(loopback, 1, 64);
  REQUIRE(sockets);
  const auto port = sockets->where.port;
  on.transport->acceptor().listen(std::move(sockets->sockets[0]), {true, false});
  std::vector<std::unique_ptr<client>> all;
  for (std::size_t i = 0; i < 5; ++i) {
    all.push_back(std::make_unique<client>(port));
    REQUIRE(on.turn_until([&] { return on.transport->connection_count() == i + 1; }));
  }
  const auto ask_as = [&](std::size_t which, const std::string& address) {
    all[which]->send("PROXY TCP6 " + address + " 2001:db8::9 1 2\r\n" + get);
  };
  ask_as(0, "2001:db8:0:1::1");
  ask_as(1, "2001:db8:0:1::2");
  ask_as(2, "2001:db8:0:2::1");
  REQUIRE(on.see(3));
  // This is the third connection of the first /64, whose share is two.
  ask_as(3, "2001:db8:0:1:ffff::3"); // the others of the /64 wait for answers: none is idle
  CHECK(on.sees(*all[3], "HTTP/1.1 503 "));
  CHECK(on.turn_until([&] { return all[3]->ended(); }));
  ask_as(4, "2001:db8:0:2::2");
  CHECK(on.see(4));
}

TEST_CASE("if memory is short, the longest stalled client is cut") {
  http::limits few;
  few.byte_budget_bytes = 200'000;
  transport_bench on{few};
  on.attach();
  client stuck{on.port};
  // Until the client's socket accepts no more.
  std::size_t wanted = 0;
  while (on.bounds.budget.used_bytes() == 0) {
    stuck.send(get);
    REQUIRE(on.see(++wanted));
    on.answer(on.seen->at(wanted - 1), std::string(100'000, 'x'));
    on.settle();
  }
  client other{on.port};
  other.send(get);
  REQUIRE(on.see(wanted + 1));
  on.clock.advance(connection_evictor::stall_least);
  on.turn();
  on.answer(on.seen->at(wanted), std::string(150'000, 'y'));
  CHECK(on.turn_until([&] { return on.counted().connections_evicted_stalled.get() == 1; }));
  CHECK(on.turn_until([&] { return other.received().size() > 150'000; }));
  CHECK(other.received().starts_with("HTTP/1.1 200 "));
}

} // namespace
} // namespace matchcloud::http
