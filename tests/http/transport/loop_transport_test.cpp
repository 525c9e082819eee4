#include "http/transport/loop_transport.hpp"

#include "tests/fixtures/shared_file.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using actors::owner;
using std::chrono::milliseconds;

using bench = transport_bench;

TEST_CASE("a request over a socket is dispatched and its answer comes back") {
  bench on;
  on.attach();
  client one{on.port};
  one.send(get);
  REQUIRE(on.see(1));
  const auto& task = on.seen->at(0);
  CHECK(task.request->target == "/x");
  CHECK(task.request->peer == loopback.address);
  CHECK(task.request->id.size() == 32);
  CHECK(task.exchange.attempt == 1);
  CHECK(on.transport->exchanges().find(task.exchange).request == task.request);
  on.answer(task, "hello");
  CHECK(on.sees(one, "\r\n\r\nhello"));
  CHECK_FALSE(on.transport->exchanges().find(task.exchange));
  CHECK(on.counted().in_flight.load() == 0);
}

TEST_CASE("a PROXY header is believed where the socket's peer is trusted, not from others") {
  for (const auto* trusted : {"127.0.0.0/8", "10.0.0.0/8"}) {
    CAPTURE(trusted);
    bench on{{}, proxy_trust{{*model::parse_cidr(trusted)}}};
    on.attach();
    auto sockets = listen_on(loopback, 1, 64);
    REQUIRE(sockets);
    on.transport->acceptor().listen(std::move(sockets->sockets[0]), {true, false});
    client one{sockets->where.port};
    one.send("PROXY TCP4 192.0.2.7 10.0.0.1 1 2\r\n" + get);
    REQUIRE(on.see(1));
    CHECK(to_string(on.seen->at(0).request->peer) ==
          (trusted == std::string{"127.0.0.0/8"} ? "192.0.2.7" : "127.0.0.1"));
  }
}

TEST_CASE("a late reply for a closed connection never reaches the next one in its place") {
  bench on;
  on.attach();
  auto first = std::make_unique<client>(on.port);
  first->send(get);
  REQUIRE(on.see(1));
  first->close();
  // A half-closed client gets its answer. This client is fully closed, which shows only when
  // writing the answer fails.
  on.answer(on.seen->at(0), "for the first");
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 0; }));

  client second{on.port};
  second.send(get);
  REQUIRE(on.see(2));
  const auto old_ref = on.seen->at(0).exchange;
  const auto new_ref = on.seen->at(1).exchange;
  CHECK(old_ref.exchange >> 32U == new_ref.exchange >> 32U); // the same slot
  CHECK(old_ref != new_ref);
  on.answer(on.seen->at(0), "for the first");
  on.routed(on.seen->at(0), owner::validator);
  CHECK_FALSE(on.transport->exchanges().find(old_ref));
  on.settle();
  CHECK(second.received().empty());
  on.answer(on.seen->at(1), "for the second");
  CHECK(on.sees(second, "\r\n\r\nfor the second"));
}

TEST_CASE("references that nobody gave out are nobody's") {
  bench on;
  CHECK_FALSE(on.transport->exchanges().find({~std::uint64_t{0}, 1}));
  CHECK_FALSE(on.transport->exchanges().find({0, 0}));
  on.transport->exchanges().answer({std::uint64_t{7} << 32U, 1}, response{});
  client one{on.port};
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 1; }));
  CHECK_FALSE(on.transport->exchanges().find({0, 0}));
}

TEST_CASE("the exchange over the limit is 503, and the place is free again after an answer") {
  base::limits few;
  few.in_flight_limit = 2;
  bench on{few};
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
  bench on;
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
  bench on;
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
  bench on;
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

TEST_CASE("at the connection limit, where none is idle, others wait until one leaves") {
  base::limits few;
  few.connection_limit = 1;
  bench on{few};
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
  on.clock.advance(connection_acceptor::accept_pause + timer_wheel::tick);
  CHECK(on.see(1));
  CHECK(on.bounds.connections == 1);
}

TEST_CASE("at the connection limit the longest idle goes, and who asks stays") {
  base::limits few;
  few.connection_limit = 4;
  few.connection_share_percent = 100;
  bench on{few};
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

TEST_CASE("at the connection limit those whose requests wait in their sockets stay") {
  base::limits few;
  few.connection_limit = 1;
  bench on{few};
  on.attach();
  client idle{on.port};
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 1; }));
  // The loop handles the new connection first.
  client next{on.port};
  idle.send(get);
  REQUIRE(on.see(1));
  CHECK(!idle.ended());
  on.answer(on.seen->at(0), "{}");
  CHECK(on.sees(idle, "{}"));
  on.clock.advance(connection_acceptor::accept_pause + timer_wheel::tick);
  CHECK(on.turn_until([&] { return idle.ended(); }));
}

/// A second loop of the same service with its own listener.
struct second_loop {
  explicit second_loop(bench& of) : on{of} {
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

  bench& on;
  event_loop loop{on.actors.system, on.clock};
  loop_transport transport{loop, on.clock, on.pool, on.bounds, on.rules, on.metrics, 2, [] {}};
  std::uint16_t port = 0;
};

TEST_CASE("a loop without idle connections has another close one") {
  base::limits few;
  few.connection_limit = 2;
  few.connection_share_percent = 100;
  bench on{few};
  on.attach();
  second_loop other{on};
  client idle{on.port};
  REQUIRE(other.turn_both([&] { return on.transport->connection_count() == 1; }));
  client busy{other.port};
  busy.send("GET");
  REQUIRE(other.turn_both([&] { return on.counted().received_bytes.get() == 3; }));
  client next{other.port};
  REQUIRE(other.turn_both([&] { return idle.ended(); }));
  on.clock.advance(connection_acceptor::accept_pause + timer_wheel::tick);
  CHECK(other.turn_both([&] { return other.transport.connection_count() == 2; }));
  CHECK(!busy.ended());
}

TEST_CASE("an address whose idle connections are all another loop's is let in, for one of those") {
  base::limits few;
  few.connection_limit = 8;
  bench on{few};
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

TEST_CASE("one address gets its share of a service that is half full, and the answer says so") {
  base::limits few;
  few.connection_limit = 8;
  bench on{few};
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
  CHECK(refused->received().find("\r\nRetry-After: 1\r\n") != std::string::npos);
  CHECK(refused->received().find("\"code\":\"overloaded\"") != std::string::npos);
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
  base::limits few;
  few.connection_limit = 100;
  bench on{few};
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

TEST_CASE("of a trusted proxy's connections those of each client count, not the proxy's") {
  base::limits few;
  few.connection_limit = 8;
  bench on{few, proxy_trust{{*model::parse_cidr("127.0.0.0/8")}}};
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

TEST_CASE("an urgent byte is a byte like others and holds nothing up") {
  bench on;
  on.attach();
  // The first read is small, so that it stops at the urgent byte and the rest comes without an
  // event.
  client one{on.port};
  one.send("GET /x HTTP/1.1\r\nHost: ");
  one.send_urgent('h');
  one.send("ost\r\n\r\n");
  REQUIRE(on.see(1));
  CHECK(on.seen->at(0).request->get(header::host) == "host");
  on.answer(on.seen->at(0), "{}");
  CHECK(on.sees(one, "{}"));
  for (std::size_t i = 0; i < 50; ++i) {
    one.send("GET /x HTTP/1.1\r\nHost: ");
    one.send_urgent('h');
    one.send("\r\n\r\n");
    REQUIRE(on.see(i + 2));
    on.answer(on.seen->at(i + 1), "{}");
  }
}

TEST_CASE("where memory is short, who has taken nothing for longest is cut") {
  base::limits few;
  few.byte_budget_bytes = 200'000;
  bench on{few};
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

TEST_CASE("what pools keep and nobody needs is given back") {
  bench on;
  on.attach();
  client one{on.port};
  one.send(get);
  REQUIRE(on.see(1));
  on.answer(on.seen->at(0), "{}");
  REQUIRE(on.sees(one, "{}"));
  const auto pooled = on.last_request;
  on.settle();
  CHECK(!pooled.expired());
  for (int i = 0; i < 2; ++i) {
    on.clock.advance(loop_transport::tidy_interval + timer_wheel::tick);
    on.turn();
  }
  CHECK(pooled.expired());
}

TEST_CASE("fast readers of long answers get turns by turns, each turn bounded") {
  constexpr std::size_t readers = 24; // several times what one turn serves
  bench on;
  on.attach();
  const auto body = std::make_shared<const std::string>(64UL * 1024 * 1024, 'x');
  std::vector<std::unique_ptr<client>> all;
  for (std::size_t i = 0; i < readers; ++i) {
    all.push_back(std::make_unique<client>(on.port));
    all.back()->send(get);
  }
  REQUIRE(on.see(readers));
  for (const auto& task : *on.seen) {
    response with;
    with.body = body;
    with.body_leased = true;
    on.transport->exchanges().answer(task.exchange, std::move(with));
  }
  std::vector<std::size_t> got(readers);
  std::size_t longest_turn = 0;
  const auto turn = [&] {
    const auto before = on.counted().sent_bytes.get();
    on.turn();
    longest_turn = std::max<std::size_t>(longest_turn, on.counted().sent_bytes.get() - before);
  };
  const auto take = [&] {
    for (std::size_t i = 0; i < readers; ++i)
      got[i] += all[i]->taken();
  };
  for (int turns = 0; turns < 100; ++turns) {
    turn();
    take();
  }
  // All sockets are full at first, then all become writable at once.
  for (int turns = 0; turns < 500; ++turns)
    turn();
  take();
  for (int turns = 0; turns < 100; ++turns)
    turn();
  CHECK(longest_turn <= loop_transport::write_turn_bytes + reply_sender::flush_turn_bytes);
  const auto [least, most] = std::minmax_element(got.begin(), got.end());
  INFO("the slowest got " << *least << " bytes, the fastest " << *most);
  CHECK(*least >= *most / 4);
}

TEST_CASE("draining: no new connections, answers close, idle ones go when told") {
  bench on;
  on.attach();
  client busy{on.port};
  client idle{on.port};
  busy.send(get);
  REQUIRE(on.see(1));
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 2; }));
  client queued{on.port}; // in the backlog: still served
  on.transport->begin_drain();
  CHECK(on.transport->connection_count() == 3);
  CHECK(on.emptied == 0);
  CHECK(check_free(endpoint{loopback.address, on.port}));
  on.answer(on.seen->at(0), "{}");
  CHECK(on.sees(busy, "Connection: close\r\n"));
  busy.close();
  on.transport->close_idle();
  CHECK(on.turn_until([&] { return idle.ended() && queued.ended(); }));
  idle.close();
  queued.close();
  CHECK(on.turn_until([&] { return on.emptied == 1; }));
  CHECK(on.bounds.connections == 0);
}

TEST_CASE("draining without connections is over at once") {
  bench on;
  on.transport->begin_drain();
  CHECK(on.emptied == 1);
}

TEST_CASE("the end of draining answers what waits with 503 and closes everything") {
  bench on;
  on.attach();
  client busy{on.port};
  client idle{on.port};
  busy.send(get);
  REQUIRE(on.see(1));
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 2; }));
  on.transport->begin_drain();
  on.transport->end_now();
  CHECK(on.sees(busy, "\"code\":\"draining\""));
  CHECK(on.turn_until([&] { return on.emptied == 1 && idle.ended(); }));
  CHECK(on.counted().in_flight.load() == 1); // its message is still with the front
  on.seen->clear();
  CHECK(on.counted().in_flight.load() == 0);
}

/// A file evicted from the page cache, if the file system permits it.
struct cold_file {
  temporary_directory folder;
  std::string content = numbered_bytes(300'000);
  std::shared_ptr<const base::open_file> file = open_shared(folder, content);

  bool forget() {
    ::fsync(file->descriptor());
    ::posix_fadvise(file->descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    return !file->is_resident(0, file->size_bytes());
  }
  response answer() const {
    response with;
    with.body = file_range{file, 0, file->size_bytes()};
    return with;
  }
};

TEST_CASE("a file is sent over a socket, in memory or not") {
  for (const bool cold : {false, true}) {
    CAPTURE(cold);
    cold_file stored;
    stored.file->read_ahead(0, stored.file->size_bytes());
    if (cold && !stored.forget()) {
      WARN("this file system keeps what it is told to forget: not tested");
      return;
    }
    bench on;
    on.attach();
    client one{on.port};
    one.send(get);
    REQUIRE(on.see(1));
    on.transport->exchanges().answer(on.seen->at(0).exchange, stored.answer());
    REQUIRE(on.turn_until([&] {
      // Only the pool reads from disk.
      on.pool.run_one();
      return one.received().size() > stored.content.size();
    }));
    CHECK(on.turn_until([&] { return one.received().ends_with("\r\n\r\n" + stored.content); }));
  }
}

TEST_CASE("a file is read on the pool while its connection ends, and nobody is told") {
  cold_file stored;
  if (!stored.forget()) {
    WARN("this file system keeps what it is told to forget: not tested");
    return;
  }
  bench on;
  on.attach();
  auto one = std::make_unique<client>(on.port);
  one->send(get);
  REQUIRE(on.see(1));
  on.transport->exchanges().answer(on.seen->at(0).exchange, stored.answer());
  REQUIRE(on.turn_until([&] { return on.pool.tasks.size() == 1; }));
  on.transport->end_now();
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 0; }));
  client two{on.port};
  two.send(get);
  REQUIRE(on.see(2));
  CHECK(on.pool.run_one());
  on.settle();
  CHECK(two.received().empty());
  on.answer(on.seen->at(1), "for the second");
  CHECK(on.sees(two, "\r\n\r\nfor the second"));
}

TEST_CASE("a full pool does not keep a file from being sent") {
  cold_file stored;
  if (!stored.forget()) {
    WARN("this file system keeps what it is told to forget: not tested");
    return;
  }
  bench on;
  on.pool.full = true;
  on.attach();
  client one{on.port};
  one.send(get);
  REQUIRE(on.see(1));
  on.transport->exchanges().answer(on.seen->at(0).exchange, stored.answer());
  CHECK(on.turn_until([&] { return one.received().ends_with(stored.content); }));
}

/// Clients of a trusted proxy, each with an address of its own.
struct named_clients {
  bench on{{}, proxy_trust{{*model::parse_cidr("127.0.0.0/8")}}};
  std::uint16_t port = 0;
  std::vector<std::unique_ptr<client>> all;

  named_clients() {
    auto sockets = listen_on(loopback, 1, 256);
    REQUIRE(sockets);
    port = sockets->where.port;
    on.transport->acceptor().listen(std::move(sockets->sockets[0]), {true, false});
  }
  void ask_as(const std::string& address, const std::string& what = get) {
    all.push_back(std::make_unique<client>(port));
    all.back()->send("PROXY TCP4 " + address + " 10.0.0.1 1 2\r\n" + what);
    if (all.size() % 50 == 0) on.turn(); // the backlog is not for so many
  }
  bool arrived(std::size_t requests) {
    return on.turn_until([&] { return on.counted().in_flight.load() == requests; });
  }
  std::string peer_of(std::size_t seen) const { return to_string(on.seen->at(seen).request->peer); }
};

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

TEST_CASE("a client has a bounded share in service, and another is served meanwhile") {
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

TEST_CASE("connections are read in turns of their clients") {
  named_clients clients;
  auto& on = clients.on;
  on.attach();
  constexpr std::size_t many = 3 * loop_transport::reads_per_turn;
  for (std::size_t i = 0; i < many; ++i)
    clients.ask_as("192.0.2.1", "GET /x HTTP/1.1\r\n");
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == many; }));
  clients.ask_as("192.0.2.2", "GET /x HTTP/1.1\r\n");
  on.settle();
  for (const auto& each : clients.all)
    each->send("Host: h\r\n\r\n");
  on.turn(); // all are readable, and a part of them is read
  on.turn();
  const bool served = std::ranges::any_of(
      *on.seen, [](const auto& each) { return to_string(each.request->peer) == "192.0.2.2"; });
  CHECK(served);
  CHECK(on.seen->size() < many);
}

} // namespace
} // namespace matchcloud::http
