// The effect of injected faults on connections that an event loop accepts, and on other
// connections.
#include "http/loop/faulty_stream.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;

/// The delay from the end of a hold to its effect: one look and one timer tick.
constexpr milliseconds loop_look{2 * (loop_pass::look_interval + timer_queue::tick)};

struct loop_transport_faults_bench : transport_bench {
  using transport_bench::transport_bench;

  loop_transport_faults_bench() { attach(); }

  void pass_time(milliseconds by) {
    for (milliseconds passed{0}; passed < by; passed += milliseconds{10}) {
      clock.advance(milliseconds{10});
      turn();
    }
  }
  std::size_t connections() const { return transport->connection_count(); }
};

TEST_CASE("a stalled listener takes nobody until the fault is taken away, then everybody") {
  loop_transport_faults_bench on;
  client before{on.port};
  REQUIRE(on.turn_until([&] { return on.connections() == 1; }));
  injected_fault stuck{fault_point::accept, fault_kind::stall};
  client one{on.port};
  client two{on.port};
  REQUIRE(on.turn_until([&] { return stuck.hits() == 1; }));
  on.pass_time(milliseconds{500});
  CHECK(on.connections() == 1);
  before.send(get);
  CHECK(on.see(1)); // existing connections are served all the while
  stuck.take_away();
  on.pass_time(loop_look);
  CHECK(on.turn_until([&] { return on.connections() == 3; }));
  one.send(get);
  CHECK(on.see(2));
  CHECK(on.bounds.connections == 3);
}

TEST_CASE("a connection is taken late where taking it is delayed") {
  loop_transport_faults_bench on;
  injected_fault slow{fault_point::accept, delayed_by(milliseconds{100})};
  client one{on.port};
  REQUIRE(on.turn_until([&] { return slow.hits() == 1; }));
  on.pass_time(milliseconds{90});
  CHECK(on.connections() == 0);
  on.pass_time(milliseconds{10} + loop_look);
  CHECK(on.turn_until([&] { return on.connections() == 1; }));
  on.settle();
  CHECK(slow.passes() == 1);
}

TEST_CASE("a listener that fails to accept pauses, and takes the connection when it looks again") {
  loop_transport_faults_bench on;
  injected_fault fails{fault_point::accept, once(rule_of(fault_kind::error))};
  client one{on.port};
  one.send(get);
  REQUIRE(on.turn_until([&] { return fails.hits() == 1; }));
  on.settle();
  CHECK(on.connections() == 0);
  on.pass_time(connection_acceptor::accept_pause + loop_look);
  CHECK(on.see(1));
  CHECK(on.bounds.connections == 1);
}

TEST_CASE("a dropped connection is closed at once, and the next one is served") {
  loop_transport_faults_bench on;
  injected_fault drops{fault_point::accept, once(rule_of(fault_kind::drop))};
  client one{on.port};
  CHECK(on.turn_until([&] { return one.ended(); }));
  CHECK(one.received().empty());
  CHECK(on.bounds.connections == 0);
  CHECK(on.connections() == 0);
  client two{on.port};
  two.send(get);
  CHECK(on.see(1));
}

TEST_CASE("a pass of a listener is a connection: every other one is dropped") {
  loop_transport_faults_bench on;
  auto every_other = rule_of(fault_kind::drop);
  every_other.every = 2;
  injected_fault drops{fault_point::accept, every_other};
  for (int i = 1; i <= 6; ++i) {
    client each{on.port};
    each.send(get);
    if (i % 2 == 0)
      CHECK(on.turn_until([&] { return each.ended(); }));
    else
      CHECK(on.see(static_cast<std::size_t>(i + 1) / 2));
  }
  CHECK(drops.passes() == 6);
  CHECK(drops.hits() == 3);
}

TEST_CASE("a client that waits at a stalled listener is served when the service drains") {
  loop_transport_faults_bench on;
  injected_fault stuck{fault_point::accept, fault_kind::stall};
  client one{on.port};
  one.send(get);
  REQUIRE(on.turn_until([&] { return stuck.hits() == 1; }));
  on.transport->begin_drain();
  REQUIRE(on.see(1));
  on.answer(on.seen->at(0), "hello");
  CHECK(on.sees(one, "\r\n\r\nhello"));
}

TEST_CASE("one connection that reads or writes late does not hold up the others of its loop") {
  for (const auto at : {fault_point::read, fault_point::write}) {
    CAPTURE(facts_of(at).name);
    loop_transport_faults_bench on;
    client one{on.port};
    client two{on.port};
    REQUIRE(on.turn_until([&] { return on.connections() == 2; }));
    injected_fault stuck{at, once(rule_of(fault_kind::stall))};
    const auto serve = [&](client& who, const std::string& body) {
      const auto seen = on.seen->size();
      who.send(get);
      if (!on.see(seen + 1)) return false;
      on.answer(on.seen->back(), body);
      return on.sees(who, "\r\n\r\n" + body);
    };
    one.send(get);
    if (at == fault_point::write) {
      REQUIRE(on.see(1));
      on.answer(on.seen->back(), "one");
    }
    REQUIRE(on.turn_until([&] { return stuck.hits() == 1; }));
    CHECK(serve(two, "two"));
    on.pass_time(milliseconds{300});
    CHECK(serve(two, "again"));
    CHECK(one.received().empty());
    stuck.take_away();
    on.pass_time(loop_look);
    if (at == fault_point::read) {
      REQUIRE(on.turn_until([&] { return on.seen->size() == 3; }));
      on.answer(on.seen->back(), "one");
    }
    CHECK(on.sees(one, "\r\n\r\none"));
  }
}

TEST_CASE("a loop ends while connections are stalled") {
  loop_transport_faults_bench on;
  injected_fault unread{fault_point::read, fault_kind::stall};
  client one{on.port};
  one.send(get);
  REQUIRE(on.turn_until([&] { return unread.hits() == 1; }));
  on.transport->begin_drain();
  on.transport->end_now();
  CHECK(on.turn_until([&] { return on.connections() == 0 && on.emptied == 1; }));
  CHECK(on.turn_until([&] { return one.ended(); }));
}

} // namespace
} // namespace matchcloud::http
