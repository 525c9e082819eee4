#include "http/transport/connection.hpp"

#include "tests/http/transport/connection_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using std::chrono::milliseconds;

constexpr auto tick = timer_queue::tick;
constexpr std::string_view half_a_body =
    "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc";

/// Limits with every timeout at one minute except the one under test.
http::limits with(milliseconds http::limits::*deadline, milliseconds value) {
  http::limits set;
  set.head_timeout = set.body_timeout = set.idle_timeout = set.write_timeout = set.request_timeout =
      milliseconds{60'000};
  set.*deadline = value;
  return set;
}

TEST_CASE("an idle connection closes silently at its deadline, not before") {
  connection_bench on{with(&http::limits::idle_timeout, milliseconds{1'000})};
  on.receive(connection_bench::get);
  on.reply("{}");
  on.advance(milliseconds{999});
  CHECK(!on.peer.shut);
  on.advance(milliseconds{1} + tick);
  CHECK(on.peer.shut);
  CHECK(on.peer.writes.size() == 1);
}

TEST_CASE("a connection that never asked anything has the time of a head, not of idleness") {
  connection_bench on{with(&http::limits::head_timeout, milliseconds{1'000})};
  on.advance(milliseconds{999});
  CHECK(!on.peer.shut);
  on.advance(milliseconds{1} + tick);
  CHECK(on.peer.shut);
  CHECK(on.peer.writes.empty());

  connection_bench request{with(&http::limits::head_timeout, milliseconds{1'000})};
  request.receive(connection_bench::get);
  request.reply("{}");
  request.advance(milliseconds{20'000});
  CHECK(!request.peer.shut);
}

TEST_CASE("idleness counts from the last answer") {
  connection_bench on{with(&http::limits::idle_timeout, milliseconds{1'000})};
  on.advance(milliseconds{900});
  on.receive(connection_bench::get);
  on.advance(milliseconds{5'000}); // waiting for an answer is not idleness
  CHECK(on.client->waiting());
  on.reply("{}");
  on.advance(milliseconds{999});
  CHECK(!on.peer.shut);
  on.advance(milliseconds{1} + tick);
  CHECK(on.peer.shut);
}

TEST_CASE("an export has a time of its own, from its request on") {
  auto limits = with(&http::limits::request_timeout, milliseconds{1'000});
  limits.export_timeout = milliseconds{5'000};
  connection_bench on{limits};
  on.receive(connection_bench::get);
  on.advance(milliseconds{900});
  on.client->routed(operation::export_lobby_history, base::owner::lobby_export);
  on.advance(milliseconds{4'000});
  CHECK(on.peer.writes.empty());
  CHECK(on.client->waiting());
  on.advance(milliseconds{100} + tick);
  CHECK(on.peer.written().starts_with("HTTP/1.1 504 "));
}

TEST_CASE("a head has its time from its first byte, however it trickles") {
  connection_bench on{with(&http::limits::head_timeout, milliseconds{1'000})};
  on.advance(milliseconds{900});
  for (int i = 0; i < 9; ++i) {
    on.receive("G");
    on.advance(milliseconds{110});
  }
  CHECK(on.peer.writes.empty());
  on.advance(milliseconds{10} + tick);
  CHECK(on.peer.written().starts_with("HTTP/1.1 408 "));
  CHECK(on.peer.written().find("\"code\":\"head_timeout\"") != std::string::npos);
  CHECK(on.peer.shut);
  // The client's time is not the service's.
  CHECK(on.metrics.refusal_latency.value().durations->counts[0] == 1);
}

TEST_CASE("a body has its time from the end of the head") {
  auto limits = with(&http::limits::body_timeout, milliseconds{1'000});
  limits.head_timeout = milliseconds{500};
  connection_bench on{limits};
  on.receive(half_a_body);
  on.advance(milliseconds{500});
  on.receive("d");
  on.advance(milliseconds{499});
  CHECK(on.peer.writes.empty());
  on.advance(milliseconds{1} + tick);
  CHECK(on.peer.written().find("\"code\":\"body_timeout\"") != std::string::npos);
  CHECK(on.peer.shut);
}

TEST_CASE("a body that is asked for by 100 Continue has its time, whatever idleness has") {
  auto limits = with(&http::limits::head_timeout, milliseconds{1'000});
  limits.idle_timeout = milliseconds{1'000};
  limits.body_timeout = milliseconds{5'000};
  connection_bench on{limits};
  on.receive("POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  REQUIRE(on.peer.written() == "HTTP/1.1 100 Continue\r\n\r\n");
  on.receive("abc");
  on.advance(milliseconds{4'900});
  CHECK(!on.peer.shut);
  on.receive("defghi");
  CHECK(on.client->waiting());
}

TEST_CASE("an exchange that nobody answers is 504, and the connection lives on") {
  connection_bench on{with(&http::limits::request_timeout, milliseconds{1'000})};
  on.receive(connection_bench::get);
  const auto ref = on.client->current();
  on.advance(milliseconds{999});
  CHECK(on.peer.writes.empty());
  on.advance(milliseconds{1} + tick);
  CHECK(on.peer.written().starts_with("HTTP/1.1 504 "));
  CHECK(on.in_flight == 0);
  const auto answered = on.peer.writes.size();
  on.answer(ref, json_answer("late"));
  on.end_turn();
  CHECK(on.peer.writes.size() == answered);
  on.receive(connection_bench::get);
  CHECK(on.client->waiting());
}

TEST_CASE("a further attempt does not move the request's deadline") {
  connection_bench on{with(&http::limits::request_timeout, milliseconds{1'000})};
  on.receive(connection_bench::get);
  on.advance(milliseconds{900});
  REQUIRE(on.client->retry(actors::handler::owner));
  on.advance(milliseconds{100} + tick);
  CHECK(on.peer.written().starts_with("HTTP/1.1 504 "));
}

TEST_CASE("a client that takes no byte for long is cut; one that takes some is not") {
  connection_bench stuck{with(&http::limits::write_timeout, milliseconds{1'000})};
  stuck.peer.room = 10;
  stuck.receive(connection_bench::get);
  stuck.reply("{}");
  stuck.advance(milliseconds{999});
  CHECK(!stuck.client->is_closed());
  stuck.advance(milliseconds{1} + tick);
  CHECK(stuck.client->is_closed());
  CHECK(stuck.peer.reset);
  CHECK(stuck.metrics.connections_cut.get() == 1);

  auto patient = with(&http::limits::write_timeout, milliseconds{1'000});
  patient.write_least_rate = 1;
  connection_bench slow{patient};
  slow.peer.room = 0;
  slow.receive(connection_bench::get);
  slow.reply(std::string(100, 'x'));
  for (int i = 0; i < 10; ++i) {
    slow.advance(milliseconds{900});
    slow.peer.room = 1;
    slow.event(EPOLLOUT);
  }
  CHECK(!slow.client->is_closed());
  CHECK(slow.metrics.connections_cut.get() == 0);
  CHECK(slow.peer.writes.size() == 10);
}

TEST_CASE("what the client's kernel acknowledges is progress, though the socket takes no more") {
  auto limits = with(&http::limits::write_timeout, milliseconds{1'000});
  limits.write_least_rate = 1'000;
  connection_bench on{limits};
  on.peer.room = 100'000;
  on.peer.unacknowledged = 100'000;
  on.receive(connection_bench::get);
  on.reply(std::string(200'000, 'x'));
  // Reads hardly faster than required.
  for (int i = 0; i < 200; ++i) {
    on.peer.unacknowledged -= 110;
    on.advance(milliseconds{100});
    REQUIRE(!on.client->is_closed());
  }
  // One large step, then nothing: the step counts as progress for as long as
  // `progress_credit_limit` says.
  on.peer.unacknowledged -= 50'000;
  int waited_ms = 0;
  for (; !on.client->is_closed() && waited_ms < 60'000; waited_ms += 100)
    on.advance(milliseconds{100});
  CHECK(waited_ms >= 1'000 * reply_sender::progress_credit_limit);
  CHECK(waited_ms <= 1'000 * reply_sender::progress_credit_limit + 3'000);
}

TEST_CASE("a client that takes less than the least rate is cut") {
  auto limits = with(&http::limits::write_timeout, milliseconds{1'000});
  limits.write_least_rate = 1'000;
  connection_bench on{limits};
  on.peer.room = 10'000;
  on.peer.unacknowledged = 10'000;
  on.receive(connection_bench::get);
  on.reply(std::string(200'000, 'x'));
  int steps = 0;
  while (!on.client->is_closed() && steps < 100) {
    on.advance(milliseconds{100});
    on.peer.unacknowledged -= 90;
    ++steps;
  }
  CHECK(steps >= 10);
  CHECK(steps < 100);
}

TEST_CASE("an exchange keeps its deadline while the answer before it is taken slowly") {
  connection_bench on{with(&http::limits::request_timeout, milliseconds{1'000})};
  on.peer.room = 0;
  on.receive(std::string{connection_bench::get} + std::string{connection_bench::get});
  on.reply("{}");
  REQUIRE(on.client->waiting());
  on.advance(milliseconds{1'000} + tick);
  CHECK(!on.client->waiting());
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(count_of(on.peer.written(), "HTTP/1.1 200") == 1);
  CHECK(count_of(on.peer.written(), "HTTP/1.1 504") == 1);
}

TEST_CASE("lingering ends after two seconds") {
  connection_bench on;
  on.receive("nonsense\r\n\r\n");
  REQUIRE(on.peer.shut);
  on.advance(connection::linger_timeout - milliseconds{1});
  CHECK(!on.client->is_closed());
  on.advance(milliseconds{1} + tick);
  CHECK(on.client->is_closed());
}

} // namespace
} // namespace matchcloud::http
