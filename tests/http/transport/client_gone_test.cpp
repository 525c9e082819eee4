// What becomes of requests whose clients go away before they are answered.
#include "tests/http/transport/connection_fixture.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

#include <algorithm>

namespace matchcloud::http {
namespace {

using fixtures::connection_bench;
using fixtures::transport_bench;
using std::chrono::milliseconds;

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

/// A client whose request waits for its answer.
struct waiting_client {
  transport_bench on;
  fixtures::client client{on.port};

  waiting_client() {
    on.attach();
    client.send(fixtures::get);
    REQUIRE(on.see(1));
    on.routed(on.seen->front(), base::owner::region_ranking);
  }
  bool is_counted() {
    return on.turn_until([&] { return gone(on.metrics, operation::list_regions) == 1; });
  }
};

TEST_CASE("a reset while a request waits is counted with the time until then") {
  waiting_client of;
  of.on.clock.advance(milliseconds{40});
  of.client.reset();
  REQUIRE(of.is_counted());
  CHECK(ended(of.on.metrics, operation::list_regions) == 1);
  CHECK(of.on.metrics.latency[static_cast<std::size_t>(operation::list_regions)].sum_ns() ==
        40'000'000);
  CHECK(of.on.seen->front().request->over);
  of.on.answer(of.on.seen->front(), "too late");
  of.on.settle();
  CHECK(ended(of.on.metrics, operation::list_regions) == 1);
}

TEST_CASE("closing with unread bytes is a reset, too") {
  transport_bench on;
  on.attach();
  fixtures::client client{on.port};
  client.send(fixtures::get);
  REQUIRE(on.see(1));
  on.answer(on.seen->front(), "never read");
  client.send(fixtures::get);
  REQUIRE(on.see(2));
  on.routed(on.seen->back(), base::owner::region_ranking);
  client.close();
  REQUIRE(on.turn_until([&] { return gone(on.metrics, operation::list_regions) == 1; }));
  CHECK(ended(on.metrics, operation::list_regions) == 1);
}

TEST_CASE("a client that only ends its sending side gets its answer") {
  waiting_client of;
  of.client.finish();
  of.on.settle();
  CHECK_FALSE(of.on.seen->front().request->over);
  of.on.answer(of.on.seen->front(), "the answer");
  CHECK(of.on.sees(of.client, "the answer"));
  CHECK(gone(of.on.metrics, operation::list_regions) == 0);
  CHECK(ended(of.on.metrics, operation::list_regions) == 1);
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

TEST_CASE("a request that waits in the queue of a gone client is not begun") {
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

TEST_CASE("an answer that cannot be written keeps its status, and is counted as unsent") {
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

TEST_CASE("a client that leaves between requests, or within one, is no request") {
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
