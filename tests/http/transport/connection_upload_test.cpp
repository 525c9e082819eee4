// Bodies that go to their owner in parts, and answers that come from it so.
#include "tests/contains.hpp"
#include "tests/http/transport/connection_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

constexpr std::size_t kibibyte = 1024;

/// A connection whose requests with a body are ingests.
struct connection_upload_bench : connection_bench {
  explicit connection_upload_bench(const http::limits& configured = {})
      : connection_bench{configured} {
    verdict = &row_of(operation::ingest_lobbies);
  }
  /// Sends a head with `Expect: 100-continue`, at which the framer stops on every plane.
  void begin(std::size_t length) {
    receive("POST /v1/lobbies HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: " +
            std::to_string(length) + "\r\n\r\n");
    REQUIRE(dispatched.size() == 1);
    REQUIRE(client->routed(operation::ingest_lobbies, base::owner::ingestion));
  }
  void grant(std::size_t bytes) {
    if (client->is_current(dispatched.back())) client->grant(bytes);
    end_turn();
  }
  std::size_t sent_on() const {
    std::size_t bytes = 0;
    for (const auto& part : parts)
      bytes += part.bytes->size();
    return bytes;
  }
};

TEST_CASE("a streamed body and its 100 Continue wait for credit") {
  connection_upload_bench on;
  on.begin(10);
  CHECK(on.judged.size() == 1);
  CHECK(on.judged[0] == std::pair<std::string, std::uint64_t>{"/v1/lobbies", 10});
  CHECK(on.written().empty());
  on.receive("0123456789");
  CHECK(on.parts.empty());
  on.grant(4);
  CHECK(on.written() == "HTTP/1.1 100 Continue\r\n\r\n");
  REQUIRE(on.parts.size() == 1);
  CHECK(*on.parts[0].bytes == "0123");
  CHECK(on.parts[0].offset == 0);
  CHECK_FALSE(on.ended);
  on.grant(100);
  REQUIRE(on.parts.size() == 2);
  CHECK(*on.parts[1].bytes == "456789");
  CHECK(on.parts[1].offset == 4);
  CHECK(on.ended);
  on.answer(on.dispatched[0], json_answer("{}"));
  on.end_turn();
  CHECK(on.wrote("HTTP/1.1 200 OK"));
  CHECK_FALSE(on.peer.shut); // the connection stays open
}

TEST_CASE("no more than the credit is ever in memory or on the way") {
  connection_upload_bench on;
  constexpr std::size_t whole = 1024 * kibibyte;
  on.begin(whole);
  on.peer.to_read = std::string(whole, 'x');
  std::size_t granted = 0;
  while (granted < whole) {
    on.grant(32 * kibibyte);
    granted += 32 * kibibyte;
    for (int i = 0; i < 50; ++i)
      on.event(EPOLLIN);
    CHECK(on.sent_on() <= granted);
    CHECK(whole - on.peer.to_read.size() <= granted);
    for (const auto& part : on.parts)
      REQUIRE(part.bytes->size() <= body_upload::part_limit_bytes);
  }
  CHECK(on.sent_on() == whole);
  CHECK(on.ended);
}

TEST_CASE("credit beyond the limit of a request is not used") {
  connection_upload_bench on;
  on.begin(1024 * kibibyte);
  on.peer.to_read = std::string(1024 * kibibyte, 'x');
  on.grant(1024 * kibibyte);
  for (int i = 0; i < 50; ++i)
    on.event(EPOLLIN);
  CHECK(on.sent_on() == body_upload::credit_limit_bytes);
}

TEST_CASE("single bytes are collected before they are passed on") {
  connection_upload_bench on;
  on.begin(1'000);
  on.grant(256 * kibibyte);
  for (int i = 0; i < 999; ++i)
    on.receive("x");
  CHECK(on.parts.empty());
  on.receive("x");
  REQUIRE(on.parts.size() == 1);
  CHECK(on.parts[0].bytes->size() == 1'000);
}

TEST_CASE("an answer before the body's end closes the connection") {
  connection_upload_bench on;
  on.begin(100);
  on.grant(10);
  on.receive("0123456789");
  on.answer(on.dispatched[0], json_answer("no"));
  on.end_turn();
  CHECK(on.wrote("Connection: close\r\n"));
  CHECK(on.peer.shut);
  on.receive(std::string(90, 'x') + std::string{connection_upload_bench::get});
  CHECK(on.dispatched.size() == 1);
}

TEST_CASE("a refused head is answered without its body") {
  connection_upload_bench on;
  on.verdict = tl::unexpected(refused_request{
      operation::ingest_lobbies, {base::errc::media_type_unsupported, "no"}, "X-Advice: a\r\n"});
  on.receive("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  const auto written = on.written();
  CHECK(written.starts_with("HTTP/1.1 415 "));
  CHECK(contains(written, "X-Advice: a\r\n"));
  CHECK_FALSE(contains(written, "100 Continue"));
  CHECK(on.dispatched.empty());
}

TEST_CASE("only the operation's own method begins a streamed body") {
  connection_upload_bench on;
  on.receive("OPTIONS /v1/lobbies HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
             "Content-Length: 2\r\n\r\n");
  CHECK(on.dispatched.empty());
  on.receive("ab");
  REQUIRE(on.dispatched.size() == 1);
  CHECK(on.client->current_request()->body == "ab");
  CHECK_FALSE(on.client->current_request()->body_follows);
}

TEST_CASE("a collected body gets 100 Continue at once") {
  connection_upload_bench on;
  on.verdict = &row_of(operation::put_element);
  on.receive("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  CHECK(on.written() == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(on.dispatched.empty());
  on.receive("{}");
  REQUIRE(on.dispatched.size() == 1);
  CHECK(on.client->current_request()->body == "{}");
}

TEST_CASE("an upload below the least rate is 408, without the owner's pauses") {
  http::limits limits;
  limits.body_timeout = 1'000ms;
  limits.body_least_rate = 1'000;
  limits.ingest_timeout = 10'000ms;
  connection_upload_bench on{limits};
  on.begin(100 * kibibyte);
  on.advance(9'000ms); // the owner's turn
  on.grant(64 * kibibyte);
  for (int i = 0; i < 20; ++i) { // faster than the rate
    on.advance(500ms);
    on.receive(std::string(600, 'x'));
  }
  CHECK(on.written() == "HTTP/1.1 100 Continue\r\n\r\n");
  for (int i = 0; i < 10 && on.closings == 0 && !on.peer.shut; ++i) {
    on.advance(500ms);
    on.receive("x");
  }
  CHECK(on.wrote("HTTP/1.1 408 "));
}

TEST_CASE("an owner that grants no credit within the operation's deadline is a 504") {
  http::limits limits;
  limits.ingest_timeout = 1'000ms;
  connection_upload_bench on{limits};
  on.begin(10);
  on.advance(1'100ms);
  CHECK(on.wrote("HTTP/1.1 504 "));
}

TEST_CASE("a client that ends its side within a streamed body is told so") {
  connection_upload_bench on;
  on.begin(10);
  on.grant(100);
  on.peer.ended = true;
  on.receive("012");
  on.event(EPOLLIN);
  CHECK(on.wrote("HTTP/1.1 400 "));
}

TEST_CASE("a streamed body cannot be dispatched again once its owner has begun") {
  connection_upload_bench on;
  on.begin(10);
  CHECK(on.client->retry(actors::handler::owner));
  CHECK(on.dispatched.size() == 2);
  on.grant(100);
  CHECK_FALSE(on.client->retry(actors::handler::owner));
  on.end_turn();
  CHECK(on.wrote("HTTP/1.1 503 "));
  CHECK(on.wrote("Send all of it again"));
}

TEST_CASE("a streamed body in chunks has its operation's limit and advice") {
  connection_upload_bench on;
  on.receive("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
             "Transfer-Encoding: chunked\r\n\r\n");
  REQUIRE(on.dispatched.size() == 1);
  REQUIRE(on.client->routed(operation::ingest_lobbies, base::owner::ingestion));
  on.grant(100);
  on.receive("5\r\nhello\r\n");
  on.receive("FFFFFFFFF\r\n");
  CHECK(on.wrote("HTTP/1.1 413 "));
}

TEST_CASE("an exhausted budget ends a streamed body") {
  http::limits limits;
  limits.byte_budget_bytes = 20 * kibibyte;
  connection_upload_bench on{limits};
  on.begin(100 * kibibyte);
  on.grant(100 * kibibyte);
  on.receive(std::string(60 * kibibyte, 'x'));
  CHECK(on.wrote("HTTP/1.1 503 "));
}

// -- answers in parts ---------------------------------------------------------

struct stream_bench : connection_bench {
  using connection_bench::connection_bench;

  void begin(std::string_view request = get) {
    receive(std::string{request});
    REQUIRE(dispatched.size() == 1);
    response made;
    made.content_type = "text/event-stream";
    made.body = body_in_parts{};
    answer(dispatched[0], std::move(made));
    end_turn();
  }
  void part(std::string_view bytes, bool is_last = false) {
    if (client->is_current(dispatched[0])) client->send_part(bytes, is_last);
    end_turn();
  }
};

TEST_CASE("a streamed answer is chunked, and its owner hears of taken bytes") {
  stream_bench on;
  on.begin();
  CHECK(on.wrote("Transfer-Encoding: chunked\r\n"));
  CHECK_FALSE(on.wrote("Content-Length"));
  on.part("hello");
  CHECK(on.written().ends_with("\r\n\r\n5\r\nhello\r\n"));
  CHECK(on.taken == std::vector<std::size_t>{5});
  on.part("", true);
  CHECK(on.written().ends_with("hello\r\n0\r\n\r\n"));
  CHECK(on.requests_out == 0);
  on.receive(std::string{on.get});
  REQUIRE(on.dispatched.size() == 2); // the connection stays open
  response again;
  again.body = body_in_parts{};
  on.answer(on.dispatched[1], std::move(again));
  on.client->send_part("abc", false);
  on.end_turn();
  CHECK(on.taken == std::vector<std::size_t>{5, 3});
}

TEST_CASE("an HTTP/1.0 client gets parts until the connection ends") {
  stream_bench on;
  on.begin("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  on.part("hello");
  on.part("", true);
  CHECK_FALSE(on.wrote("chunked"));
  CHECK(on.written().ends_with("\r\n\r\nhello"));
  CHECK(on.peer.shut);
}

TEST_CASE("HEAD gets no parts, and its exchange is over") {
  stream_bench on;
  on.begin("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
  on.part("hello");
  CHECK(on.written().ends_with("\r\n\r\n"));
  CHECK(on.requests_out == 0);
}

TEST_CASE("a reader that stops is cut, at the write timeout or beyond its credit") {
  http::limits limits;
  limits.write_timeout = 1'000ms;
  stream_bench on{limits};
  on.begin();
  on.peer.room = 0;
  on.part("hello");
  CHECK(on.taken.empty());
  on.peer.unacknowledged = 5;
  on.advance(1'100ms);
  CHECK(on.closings == 1);
  CHECK(on.peer.reset);

  stream_bench greedy;
  greedy.begin();
  greedy.peer.room = 0;
  greedy.part(std::string(reply_sender::part_credit_bytes, 'x'));
  CHECK(greedy.closings == 0);
  greedy.part("x");
  CHECK(greedy.closings == 1);
}

TEST_CASE("a reader that leaves ends its exchange, and idle time does not") {
  stream_bench on;
  on.begin();
  on.advance(http::limits{}.idle_timeout * 3);
  CHECK(on.closings == 0);
  on.client->on_events(EPOLLIN | EPOLLRDHUP);
  CHECK(on.closings == 1);
  CHECK(on.requests_out == 0);
}

TEST_CASE("a streamed answer that began before draining keeps its connection open") {
  stream_bench on;
  on.begin();
  on.draining = true;
  on.part("hello", true);
  CHECK(!on.peer.shut);
  on.receive(std::string{on.get});
  on.reply("{}");
  CHECK(on.wrote("Connection: close\r\n"));
  CHECK(on.peer.shut);
}

TEST_CASE("draining ends answers in parts, without a last chunk") {
  stream_bench on;
  on.begin();
  on.client->close_if_idle();
  CHECK(on.closings == 1);
  CHECK_FALSE(on.wrote("0\r\n\r\n"));
}

} // namespace
} // namespace matchcloud::http
