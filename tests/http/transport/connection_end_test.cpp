#include "http/transport/connection.hpp"

#include "tests/http/transport/connection_fixture.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

#include <algorithm>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto tick = timer_queue::tick;
constexpr std::string_view half_a_body =
    "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc";

/// Limits with every timeout at one minute except the one under test.
http::limits with(milliseconds http::limits::*deadline, milliseconds value) {
  http::limits set;
  set.head_timeout = set.body_timeout = set.idle_timeout = set.write_timeout = set.request_timeout =
      60'000ms;
  set.*deadline = value;
  return set;
}

TEST_CASE("a connection without a request is closed after the head timeout") {
  connection_bench on{with(&http::limits::head_timeout, 1'000ms)};
  on.advance(999ms);
  CHECK(!on.peer.shut);
  on.advance(1ms + tick);
  CHECK(on.peer.shut);
  CHECK(on.peer.writes.empty());

  connection_bench request{with(&http::limits::head_timeout, 1'000ms)};
  request.receive(connection_bench::get);
  request.reply("{}");
  request.advance(20'000ms);
  CHECK(!request.peer.shut);
}

TEST_CASE("an idle connection closes silently, timed from its last answer") {
  connection_bench on{with(&http::limits::idle_timeout, 1'000ms)};
  on.advance(900ms);
  on.receive(connection_bench::get);
  on.advance(5'000ms); // waiting for an answer is not idleness
  CHECK(on.client->waiting());
  on.reply("{}");
  on.advance(999ms);
  CHECK(!on.peer.shut);
  on.advance(1ms + tick);
  CHECK(on.peer.shut);
  CHECK(on.peer.writes.size() == 1);
}

TEST_CASE("an export has a time of its own, from its request on") {
  auto limits = with(&http::limits::request_timeout, 1'000ms);
  limits.export_timeout = 5'000ms;
  connection_bench on{limits};
  on.receive(connection_bench::get);
  on.advance(900ms);
  on.client->routed(operation::export_lobby_history, base::owner::lobby_export);
  on.advance(4'000ms);
  CHECK(on.peer.writes.empty());
  CHECK(on.client->waiting());
  on.advance(100ms + tick);
  CHECK(on.written().starts_with("HTTP/1.1 504 "));
}

TEST_CASE("a head has its time from its first byte, however it trickles") {
  connection_bench on{with(&http::limits::head_timeout, 1'000ms)};
  on.advance(900ms);
  for (int i = 0; i < 9; ++i) {
    on.receive("G");
    on.advance(110ms);
  }
  CHECK(on.peer.writes.empty());
  on.advance(10ms + tick);
  CHECK(on.written().starts_with("HTTP/1.1 408 "));
  CHECK(on.wrote("\"code\":\"head_timeout\""));
  CHECK(on.peer.shut);
  // The client's time is not the service's.
  CHECK(on.metrics.refusal_latency.value().durations->counts[0] == 1);
}

TEST_CASE("a body has its time from the end of the head") {
  auto limits = with(&http::limits::body_timeout, 1'000ms);
  limits.head_timeout = 500ms;
  connection_bench on{limits};
  on.receive(half_a_body);
  on.advance(500ms);
  on.receive("d");
  on.advance(499ms);
  CHECK(on.peer.writes.empty());
  on.advance(1ms + tick);
  CHECK(on.wrote("\"code\":\"body_timeout\""));
  CHECK(on.peer.shut);
}

TEST_CASE("a body after 100 Continue has the body timeout") {
  auto limits = with(&http::limits::head_timeout, 1'000ms);
  limits.idle_timeout = 1'000ms;
  limits.body_timeout = 5'000ms;
  connection_bench on{limits};
  on.receive("POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  REQUIRE(on.written() == "HTTP/1.1 100 Continue\r\n\r\n");
  on.receive("abc");
  on.advance(4'900ms);
  CHECK(!on.peer.shut);
  on.receive("defghi");
  CHECK(on.client->waiting());
}

TEST_CASE("an unanswered exchange is 504 at its deadline, despite a retry") {
  connection_bench on{with(&http::limits::request_timeout, 1'000ms)};
  on.receive(connection_bench::get);
  on.advance(900ms);
  REQUIRE(on.client->retry(actors::handler::owner));
  const auto ref = on.client->current();
  on.advance(99ms);
  CHECK(on.peer.writes.empty());
  on.advance(1ms + tick);
  CHECK(on.written().starts_with("HTTP/1.1 504 "));
  CHECK(on.in_flight == 0);
  const auto answered = on.peer.writes.size();
  on.answer(ref, json_answer("late"));
  on.end_turn();
  CHECK(on.peer.writes.size() == answered);
  on.receive(connection_bench::get);
  CHECK(on.client->waiting());
}

TEST_CASE("a client that takes no byte is cut, a slow one is not") {
  connection_bench stuck{with(&http::limits::write_timeout, 1'000ms)};
  stuck.peer.room = 10;
  stuck.receive(connection_bench::get);
  stuck.reply("{}");
  stuck.advance(999ms);
  CHECK(!stuck.client->is_closed());
  stuck.advance(1ms + tick);
  CHECK(stuck.client->is_closed());
  CHECK(stuck.peer.reset);
  CHECK(stuck.metrics.connections_cut.get() == 1);

  auto patient = with(&http::limits::write_timeout, 1'000ms);
  patient.write_least_rate = 1;
  patient.idle_timeout = 3'000ms; // sending is not idling
  connection_bench slow{patient};
  slow.peer.room = 0;
  slow.receive(connection_bench::get);
  slow.reply(std::string(100, 'x'));
  for (int i = 0; i < 10; ++i) {
    slow.advance(900ms);
    slow.peer.room = 1;
    slow.event(EPOLLOUT);
  }
  CHECK(!slow.client->is_closed());
  CHECK(slow.metrics.connections_cut.get() == 0);
  CHECK(slow.peer.writes.size() == 10);
}

TEST_CASE("bytes acknowledged by the client's kernel are progress") {
  auto limits = with(&http::limits::write_timeout, 1'000ms);
  limits.write_least_rate = 1'000;
  connection_bench on{limits};
  on.peer.room = 100'000;
  on.peer.unacknowledged = 100'000;
  on.receive(connection_bench::get);
  on.reply(std::string(200'000, 'x'));
  // Reads hardly faster than required.
  for (int i = 0; i < 200; ++i) {
    on.peer.unacknowledged -= 110;
    on.advance(100ms);
    REQUIRE(!on.client->is_closed());
  }
  // One large step, then nothing: the step counts as progress for as long as
  // `progress_credit_limit` says.
  on.peer.unacknowledged -= 50'000;
  int waited_ms = 0;
  for (; !on.client->is_closed() && waited_ms < 60'000; waited_ms += 100)
    on.advance(100ms);
  CHECK(waited_ms >= 1'000 * reply_sender::progress_credit_limit);
  CHECK(waited_ms <= 1'000 * reply_sender::progress_credit_limit + 3'000);
}

TEST_CASE("a client that takes less than the least rate is cut") {
  auto limits = with(&http::limits::write_timeout, 1'000ms);
  limits.write_least_rate = 1'000;
  connection_bench on{limits};
  on.peer.room = 10'000;
  on.peer.unacknowledged = 10'000;
  on.receive(connection_bench::get);
  on.reply(std::string(200'000, 'x'));
  int steps = 0;
  while (!on.client->is_closed() && steps < 100) {
    on.advance(100ms);
    on.peer.unacknowledged -= 90;
    ++steps;
  }
  CHECK(steps >= 10);
  CHECK(steps < 100);
}

TEST_CASE("an exchange keeps its deadline while the answer before it is taken slowly") {
  connection_bench on{with(&http::limits::request_timeout, 1'000ms)};
  on.peer.room = 0;
  on.receive(std::string{connection_bench::get} + std::string{connection_bench::get});
  on.reply("{}");
  REQUIRE(on.client->waiting());
  on.advance(1'000ms + tick);
  CHECK(!on.client->waiting());
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(count_of(on.written(), "HTTP/1.1 200") == 1);
  CHECK(count_of(on.written(), "HTTP/1.1 504") == 1);
}

TEST_CASE("lingering ends after two seconds") {
  connection_bench on;
  on.receive("nonsense\r\n\r\n");
  REQUIRE(on.peer.shut);
  on.advance(connection::linger_timeout - 1ms);
  CHECK(!on.client->is_closed());
  on.advance(1ms + tick);
  CHECK(on.client->is_closed());
}

// What becomes of requests whose clients go away before they are answered.
using fixtures::connection_bench;
using fixtures::transport_bench;

std::uint64_t gone(const transport_metrics& in, operation which) {
  const auto column = std::ranges::find(known_statuses, actors::client_gone_status);
  return in
      .answers[static_cast<std::size_t>(which)]
              [static_cast<std::size_t>(column - known_statuses.begin())]
      .get();
}

std::uint64_t ended(const transport_metrics& in, operation which) {
  std::uint64_t sum = 0;
  for (const auto& each : in.answers[static_cast<std::size_t>(which)])
    sum += each.get();
  return sum;
}

TEST_CASE("a reset while a request waits is counted with the time until then") {
  transport_bench on;
  fixtures::client client{on.port};
  on.attach();
  client.send(fixtures::get);
  REQUIRE(on.see(1));
  on.routed(on.seen->front(), base::owner::region_ranking);
  on.clock.advance(milliseconds{40});
  client.reset();
  REQUIRE(on.turn_until([&] { return gone(on.metrics, operation::list_regions) == 1; }));
  CHECK(ended(on.metrics, operation::list_regions) == 1);
  CHECK(on.metrics.latency[static_cast<std::size_t>(operation::list_regions)].sum_ns() ==
        40'000'000);
  CHECK(on.seen->front().request->over);
  on.answer(on.seen->front(), "too late");
  on.settle();
  CHECK(ended(on.metrics, operation::list_regions) == 1);
}

TEST_CASE("a request that arrived with the reset of its connection is not begun") {
  transport_bench on;
  on.attach();
  fixtures::client client{on.port};
  client.send(fixtures::get);
  REQUIRE(on.see(1));
  on.answer(on.seen->front(), "first");
  REQUIRE(on.sees(client, "first"));
  client.send(fixtures::get);
  client.reset(); // the loop sees both at once
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 0; }));
  CHECK(on.seen->size() == 1);
  CHECK(gone(on.metrics, operation::unmatched) == 1);
  CHECK(ended(on.metrics, operation::unmatched) == 2);
}

TEST_CASE("a queued request of a gone client is not begun") {
  transport_bench on;
  fixtures::client client{on.port};
  client.send(fixtures::get);
  REQUIRE(on.turn_until([&] { return on.metrics.in_flight.load() == 1; }));
  client.reset();
  REQUIRE(on.turn_until([&] { return gone(on.metrics, operation::unmatched) == 1; }));
  on.attach();
  on.settle();
  CHECK(on.seen->empty());
  CHECK(on.metrics.in_flight.load() == 0);
}

TEST_CASE("an upload whose client goes is counted once") {
  connection_bench on;
  on.verdict = &row_of(operation::ingest_lobbies);
  on.receive("POST /v1/lobbies HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
             "Content-Length: 100\r\n\r\n");
  REQUIRE(on.client->waiting());
  on.client->routed(operation::ingest_lobbies, base::owner::ingestion);
  on.client->grant(100);
  on.end_turn();
  const request_ptr held = on.client->current_request();
  on.peer.read_fails = true;
  on.event(EPOLLIN);
  CHECK(on.client->is_closed());
  CHECK(held->over);
  CHECK(gone(on.metrics, operation::ingest_lobbies) == 1);
  CHECK(ended(on.metrics, operation::ingest_lobbies) == 1);
}

TEST_CASE("an answer that cannot be written counts as unsent with its status") {
  connection_bench on;
  on.receive(connection_bench::get);
  on.peer.room = 10;
  on.reply(std::string(1'000, 'x'));
  on.peer.write_fails = true;
  on.event(EPOLLOUT);
  CHECK(on.client->is_closed());
  CHECK(on.metrics.answers_unsent.get() == 1);
  CHECK(gone(on.metrics, operation::unmatched) == 0);
  CHECK(ended(on.metrics, operation::unmatched) == 1);
}

TEST_CASE("a client that leaves between or within requests is not counted") {
  connection_bench idle;
  idle.event(EPOLLHUP | EPOLLERR);
  connection_bench half;
  half.receive("GET /x");
  half.peer.read_fails = true;
  half.event(EPOLLHUP | EPOLLERR | EPOLLIN);
  CHECK(half.client->is_closed());
  for (const auto* each : {&idle.metrics, &half.metrics})
    CHECK(ended(*each, operation::unmatched) == 0);
}

} // namespace
} // namespace matchcloud::http
