#include "http/loop/faulty_stream.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/http/transport/connection_fixture.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

#include <bit>

namespace matchcloud::http {
namespace {

// The effect of injected faults on a connection's reads, writes and framing, and on no other
// connection.
using namespace fixtures;
using namespace std::chrono_literals;
using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;

/// The delay from the end of a hold to its effect: one look and one timer tick.
constexpr milliseconds look{2 * (loop_pass::look_interval + timer_queue::tick)};

struct connection_faults_bench : connection_bench {
  using connection_bench::connection_bench;

  void ask(std::string_view target) {
    receive("GET " + std::string{target} + " HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  void advance_in_steps(milliseconds by) {
    for (milliseconds passed{0}; passed < by; passed += 10ms)
      advance(10ms);
  }
  /// Everything written after the first empty line.
  std::string body() const {
    const auto all = peer.written();
    const auto end = all.find("\r\n\r\n");
    return end == std::string::npos ? std::string{} : all.substr(end + 4);
  }
};

/// The number of bits in which two texts of equal length differ.
int differing_bits(std::string_view a, std::string_view b) {
  REQUIRE(a.size() == b.size());
  int sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::popcount(
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  return sum;
}

std::string post_text(const std::string& body) {
  return "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

// -- reading ------------------------------------------------------------------

TEST_CASE("a rule chooses connections by their address and their number") {
  const auto is_broken = [](std::string_view client, double share) {
    auto rule = rule_of(fault_kind::error);
    rule.client = base::fault_network{model::parse_ip_address(client)->bytes, 128};
    rule.connections = share;
    injected_fault broken{fault_point::read, rule};
    connection_faults_bench on;
    on.ask("/1");
    return broken.hits() == 1;
  };
  CHECK(is_broken("192.0.2.1", 1));
  CHECK_FALSE(is_broken("192.0.2.2", 1));
  CHECK_FALSE(is_broken("192.0.2.1", 1e-9));
}

TEST_CASE("a delayed or stalled read or write happens later, in order") {
  for (const auto at : {fault_point::read, fault_point::write})
    for (const auto kind : {fault_kind::delay, fault_kind::stall}) {
      CAPTURE(facts_of(at).name, name_of(kind));
      connection_faults_bench on;
      injected_fault late{at, once(kind == fault_kind::delay ? delayed_by(100ms) : rule_of(kind))};
      on.ask("/1");
      on.ask("/2");
      const auto reply = [&] {
        on.reply("1");
        on.reply("2");
      };
      if (at == fault_point::write) reply();
      const auto is_held = [&] {
        return on.peer.writes.empty() && on.targets.empty() == (at == fault_point::read);
      };
      on.advance_in_steps(90ms);
      CHECK(is_held());
      CHECK(late.hits() == 1);
      if (kind == fault_kind::stall) {
        on.advance_in_steps(1'000ms);
        CHECK(is_held());
        late.take_away();
      }
      on.advance_in_steps(10ms + look);
      if (at == fault_point::read) {
        CHECK(on.targets == std::vector<std::string>{"/1"});
        reply();
      }
      CHECK(on.targets == std::vector<std::string>{"/1", "/2"});
      CHECK(count_of(on.written(), "\r\n\r\n1HTTP") == 1);
      CHECK(on.written().ends_with("\r\n\r\n2"));
      CHECK(on.buffers_out == 0);
    }
}

TEST_CASE("another fault at its point lets go of what the last one stalled") {
  connection_faults_bench on;
  injected_fault stuck{fault_point::read, fault_kind::stall};
  on.ask("/1");
  injected_fault next{fault_point::read, fault_kind::error};
  on.advance_in_steps(look);
  CHECK(on.targets == std::vector<std::string>{"/1"});
  CHECK(next.passes() == 0); // this read began before the injection
}

TEST_CASE("a connection whose reads are stalled is closed when it idled long enough") {
  http::limits limits;
  limits.head_timeout = 500ms; // it has not sent a request yet
  connection_faults_bench on{limits};
  injected_fault stuck{fault_point::read, fault_kind::stall};
  on.ask("/1");
  on.advance_in_steps(600ms + connection::linger_timeout);
  CHECK(on.targets.empty());
  CHECK(on.closings == 1);
}

TEST_CASE("a failing read or write ends the connection silently") {
  for (const auto at : {fault_point::read, fault_point::write}) {
    connection_faults_bench on;
    injected_fault fails{at, fault_kind::error};
    on.ask("/1");
    if (at == fault_point::write) on.reply("{}");
    CHECK(on.closings == 1);
    CHECK(on.peer.writes.empty());
    CHECK(on.requests_out == 0);
  }
}

TEST_CASE("a corrupted read or framing differs in one bit, once") {
  for (const auto at : {fault_point::read, fault_point::frame}) {
    connection_faults_bench on;
    const std::string body(40'000, 'b');
    injected_fault corrupted{at, once(rule_of(fault_kind::corrupt))};
    for (const int bits : {1, 0}) {
      on.receive(post_text(body));
      REQUIRE(on.client->waiting());
      CHECK(differing_bits(on.client->current_request()->body, body) == bits);
      on.reply("{}");
    }
  }
}

// -- writing ------------------------------------------------------------------

TEST_CASE("an answer stalled beyond the write timeout ends its connection") {
  http::limits limits;
  limits.write_timeout = 500ms;
  connection_faults_bench on{limits};
  injected_fault stuck{fault_point::write, fault_kind::stall};
  on.ask("/1");
  on.reply("{}");
  on.advance_in_steps(600ms);
  CHECK(on.closings == 1);
  CHECK(on.peer.writes.empty());
}

TEST_CASE("short writes take a part each time, and the answer comes whole") {
  connection_faults_bench on;
  injected_fault is_short{fault_point::write, fault_kind::short_write};
  on.ask("/1");
  on.answer(shared_answer(100'000, 's'));
  on.end_turn();
  CHECK(on.body() == std::string(100'000, 's'));
  CHECK(on.peer.writes.size() == is_short.passes());
  CHECK(on.peer.writes.size() > 1);
  for (std::size_t i = 0; i + 1 < on.peer.writes.size(); ++i)
    CHECK(!on.peer.writes[i].empty());
}

TEST_CASE("a corrupted write changes one sent bit and no shared byte") {
  connection_faults_bench on;
  const auto shared = std::make_shared<const std::string>(numbered_bytes(100'000));
  const auto before = *shared;
  const auto answer_shared = [&] {
    response made;
    made.content_type = json_type;
    made.body = shared;
    on.ask("/1");
    on.answer(std::move(made));
    on.end_turn();
  };
  answer_shared();
  const auto right = std::exchange(on.peer.writes, {});
  on.peer.more.clear();
  std::string expected;
  for (const auto& each : right)
    expected += each;
  {
    injected_fault corrupted{fault_point::write, once(rule_of(fault_kind::corrupt))};
    answer_shared();
    CHECK(differing_bits(on.written(), expected) == 1);
  }
  CHECK(*shared == before);
  on.peer.writes.clear();
  answer_shared();
  CHECK(on.written() == expected);
}

TEST_CASE("a fault of a blocked write hits the next one") {
  connection_faults_bench on;
  injected_fault corrupted{fault_point::write, once(rule_of(fault_kind::corrupt))};
  on.peer.room = 0;
  on.ask("/1");
  on.reply("{}");
  CHECK(on.peer.writes.empty());
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(corrupted.hits() == 1);
  const auto corrupt = on.written();
  on.peer.writes.clear();
  on.ask("/1");
  on.reply("{}");
  CHECK(differing_bits(corrupt, on.written()) == 1);
}

TEST_CASE("files are written short, corrupted or late, and stay unchanged") {
  connection_faults_bench on;
  const temporary_directory folder;
  const auto stored = numbered_bytes(50'000);
  const auto file = open_shared(folder, stored);
  const auto reply_file = [&] {
    response made;
    made.content_type = "image/png";
    made.body = file_range{file, 0, stored.size()};
    on.peer.writes.clear();
    on.ask("/1");
    on.answer(std::move(made));
    on.end_turn();
    return on.body();
  };
  {
    injected_fault is_short{fault_point::write, fault_kind::short_write};
    CHECK(reply_file() == stored);
    CHECK(is_short.hits() > 2);
  }
  {
    // The first write is the head.
    auto second = rule_of(fault_kind::corrupt);
    second.every = 2;
    second.first = 2;
    injected_fault corrupted{fault_point::write, second};
    CHECK(differing_bits(reply_file(), stored) == 1);
  }
  {
    auto second = delayed_by(50ms);
    second.every = 2;
    second.first = 2;
    injected_fault slow{fault_point::write, second};
    CHECK(reply_file().empty());
    on.advance_in_steps(50ms + look);
    CHECK(on.body() == stored);
  }
  CHECK(reply_file() == stored);
}

// -- framing ------------------------------------------------------------------

TEST_CASE("a framing fault refuses the request and says so") {
  connection_faults_bench on;
  injected_fault fails{fault_point::frame, once(rule_of(fault_kind::error))};
  on.ask("/1");
  CHECK(on.targets.empty());
  CHECK(on.written().starts_with("HTTP/1.1 400 "));
  CHECK(on.wrote("\"code\":\"request_malformed\""));
  CHECK(on.wrote("a fault is injected at frame"));
  CHECK(on.peer.shut);
  CHECK(on.requests_out == 0);
}

TEST_CASE("pipelined bytes are corrupted where they wait") {
  connection_faults_bench on;
  const std::string body(40'000, 'b');
  on.receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n" + post_text(body));
  injected_fault corrupted{fault_point::frame, once(rule_of(fault_kind::corrupt))};
  on.reply("1");
  REQUIRE(on.targets.size() == 2);
  CHECK(differing_bits(on.client->current_request()->body, body) == 1);
}

// -- nothing injected ---------------------------------------------------------

TEST_CASE("a connection passes only the points at which something is injected") {
  connection_faults_bench on;
  auto never = rule_of(fault_kind::error);
  never.probability = 0;
  injected_fault written{fault_point::write, never};
  injected_fault framed{fault_point::frame, never};
  on.ask("/1");
  on.reply("{}");
  CHECK(written.passes() == 1);
  CHECK(framed.passes() == 1);
  CHECK(written.hits() + framed.hits() == 0);
  CHECK(base::faults::status(fault_point::read).passes == 0);
  CHECK(on.written().ends_with("\r\n\r\n{}"));
}

// The effect of injected faults on connections that an event loop accepts, and on other
// connections.

/// The delay from the end of a hold to its effect: one look and one timer tick.
constexpr milliseconds loop_look{2 * (loop_pass::look_interval + timer_queue::tick)};

struct loop_transport_faults_bench : transport_bench {
  using transport_bench::transport_bench;

  loop_transport_faults_bench() { attach(); }

  void pass_time(milliseconds by) {
    for (milliseconds passed{0}; passed < by; passed += 10ms) {
      clock.advance(10ms);
      turn();
    }
  }
  std::size_t connections() const { return transport->connection_count(); }
};

TEST_CASE("a stalled listener accepts nobody until the fault is gone") {
  loop_transport_faults_bench on;
  client before{on.port};
  REQUIRE(on.turn_until([&] { return on.connections() == 1; }));
  injected_fault stuck{fault_point::accept, fault_kind::stall};
  client one{on.port};
  client two{on.port};
  REQUIRE(on.turn_until([&] { return stuck.hits() == 1; }));
  on.pass_time(500ms);
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

TEST_CASE("a listener that fails to accept tries again after a pause") {
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

TEST_CASE("a drop of every other accept drops every other connection") {
  loop_transport_faults_bench on;
  auto every_other = rule_of(fault_kind::drop);
  every_other.every = 2;
  injected_fault drops{fault_point::accept, every_other};
  for (int i = 1; i <= 6; ++i) {
    client each{on.port};
    each.send(get);
    if (i % 2 == 0) {
      CHECK(on.turn_until([&] { return each.ended(); }));
      CHECK(each.received().empty());
    } else
      CHECK(on.see(static_cast<std::size_t>(i + 1) / 2));
  }
  CHECK(drops.passes() == 6);
  CHECK(drops.hits() == 3);
  CHECK(on.bounds.connections <= 3);
}

TEST_CASE("a stalled listener's clients are served when draining begins") {
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

TEST_CASE("a stalled connection holds up no other") {
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
    on.pass_time(300ms);
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
