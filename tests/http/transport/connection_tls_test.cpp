#include "tests/contains.hpp"
#include "tests/fixtures/proxy_header_bytes.hpp"
#include "tests/http/tls/tls_fixture.hpp"
#include "tests/http/transport/connection_fixture.hpp"

#include <optional>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

http::limits short_times() {
  http::limits limits;
  limits.tls_handshake_timeout = 3s;
  limits.head_timeout = 5s;
  return limits;
}

/// A connection that speaks TLS, and its client.
struct connection_tls_bench : connection_bench {
  std::shared_ptr<direction> to_client = std::make_shared<direction>();
  std::shared_ptr<direction> to_server = std::make_shared<direction>();
  tls_stream asks{std::make_unique<pipe_end>(to_client, to_server), client_context(test_pair()),
                  std::string{"localhost"}};

  explicit connection_tls_bench(preamble begins_with = preamble::none)
      : connection_bench{short_times(), begins_with, server_context()} {}

  /// Carries what both sides have written to the other.
  void carry() {
    if (!to_server->bytes.empty()) receive(std::exchange(to_server->bytes, {}));
    for (auto& each : std::exchange(peer.writes, {}))
      to_client->bytes += each;
  }
  handshake_status shake_hands() {
    auto status = handshake_status::blocked;
    for (int i = 0; i < 10 && status == handshake_status::blocked; ++i) {
      status = asks.handshake();
      carry();
    }
    return status;
  }
  void send(std::string_view text) {
    REQUIRE(write_text(asks, text).bytes == text.size());
    carry();
  }
  std::string received() {
    carry();
    return read_all(asks);
  }
};

TEST_CASE("a request over TLS is served, and the next one too") {
  connection_tls_bench on;
  REQUIRE(on.shake_hands() == handshake_status::done);
  CHECK(on.handshake_ends == std::vector{handshake_end::full});
  CHECK(on.handshaking == 0);
  for (int i = 1; i <= 2; ++i) {
    on.send(on.get);
    REQUIRE(on.dispatched.size() == static_cast<std::size_t>(i));
    CHECK(on.client->current_request()->is_secure);
    on.reply("{}");
    const auto got = on.received();
    CHECK(got.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(got.ends_with("{}"));
  }
}

TEST_CASE("a request sent with the end of the handshake is served") {
  connection_tls_bench on;
  on.asks.handshake();
  on.carry();
  REQUIRE(on.asks.handshake() == handshake_status::done);
  REQUIRE(write_text(on.asks, on.get).status == io_status::moved);
  on.carry();
  CHECK(on.dispatched.size() == 1);
}

TEST_CASE("a PROXY header comes before the handshake") {
  connection_tls_bench on{preamble::trusted_proxy_header};
  const std::string header = "PROXY TCP4 192.0.2.7 10.0.0.1 1000 443\r\n";
  if (GENERATE(false, true)) {
    on.to_server->bytes = header;
    on.asks.handshake();
  } else {
    on.receive(header);
  }
  REQUIRE(on.shake_hands() == handshake_status::done);
  on.send(on.get);
  REQUIRE(on.dispatched.size() == 1);
  CHECK(model::to_string(on.client->current_request()->peer) == "192.0.2.7");
}

TEST_CASE("HTTP on a TLS port gets an answer that says so") {
  connection_tls_bench on;
  on.receive(on.get);
  const auto said = on.written();
  CHECK(said.starts_with("HTTP/1.1 400 "));
  CHECK(contains(said, "This port speaks TLS"));
  CHECK(contains(said, "\r\nConnection: close\r\n"));
  CHECK(on.handshake_ends == std::vector{handshake_end::failed});
  CHECK(on.peer.shut);
  CHECK(on.dispatched.empty());
}

TEST_CASE("a TLS hello on a plain port is answered and noted") {
  connection_bench on;
  on.receive(std::string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11} +
             std::string(200, 'x'));
  REQUIRE(on.tls_failures.size() == 1);
  CHECK(contains(on.tls_failures[0], "to a listener without"));
  CHECK(on.wrote("This port does not speak TLS"));
}

TEST_CASE("garbage ends the handshake with an alert") {
  connection_tls_bench on;
  on.receive("\x02 garbage, at least as long as the head of a record");
  CHECK(on.handshake_ends == std::vector{handshake_end::failed});
  CHECK(on.peer.shut);
  on.advance(connection::linger_timeout + 1s);
  CHECK(on.closings == 1);
}

TEST_CASE("a handshake has its own deadline, however its bytes come") {
  connection_tls_bench on;
  on.asks.handshake();
  auto hello = std::exchange(on.to_server->bytes, {});
  for (int i = 0; i < 29; ++i) {
    on.receive(hello.substr(static_cast<std::size_t>(i), 1));
    on.advance(100ms);
    REQUIRE(on.closings == 0);
  }
  on.advance(500ms);
  CHECK(on.closings == 1);
  CHECK(on.handshake_ends == std::vector{handshake_end::timed_out});
  CHECK(on.handshaking == 0);
}

TEST_CASE("a handshake in progress can be evicted") {
  connection_tls_bench on;
  CHECK(on.client->since(eviction::handshake).has_value());
  CHECK(on.client->since(eviction::idle) == on.client->since(eviction::handshake));
  if (GENERATE(false, true)) {
    CHECK(on.client->evict(eviction::handshake));
    CHECK(on.closings == 1);
    CHECK(on.handshake_ends == std::vector{handshake_end::evicted});
    return;
  }
  REQUIRE(on.shake_hands() == handshake_status::done);
  CHECK(!on.client->since(eviction::handshake).has_value());
  CHECK(on.client->since(eviction::idle).has_value());
}

TEST_CASE("a handshake that its client leaves is over") {
  connection_tls_bench on;
  on.asks.handshake();
  on.carry();
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  on.event(EPOLLHUP);
  on.advance(connection::linger_timeout + 1s);
  CHECK(on.closings == 1);
  CHECK(on.handshaking == 0);
}

TEST_CASE("draining ends handshakes in progress") {
  connection_tls_bench on;
  on.client->end_now();
  CHECK(on.closings == 1);
  CHECK(on.handshaking == 0);
}

TEST_CASE("the rest of a record has the head timeout") {
  connection_tls_bench on;
  REQUIRE(on.shake_hands() == handshake_status::done);
  REQUIRE(write_text(on.asks, on.get).status == io_status::moved);
  const auto record = std::exchange(on.to_server->bytes, {});
  on.receive(record.substr(0, 20));
  CHECK(on.budget().used_bytes() > 0);
  SECTION("it comes") {
    on.receive(record.substr(20));
    CHECK(on.dispatched.size() == 1);
  }
  SECTION("it does not") {
    on.advance(5'500ms);
    on.advance(connection::linger_timeout + 1s);
    CHECK(on.closings == 1);
    CHECK(on.budget().used_bytes() == 0);
  }
}

TEST_CASE("a split record without a request leaves the connection idle") {
  connection_tls_bench on;
  REQUIRE(on.shake_hands() == handshake_status::done);
  on.send(on.get);
  on.reply("{}");
  on.received();
  const auto since = on.client->since(eviction::idle);
  REQUIRE(since.has_value());
  on.advance(300ms);
  REQUIRE(write_text(on.asks, "\r\n").status == io_status::moved);
  const auto record = std::exchange(on.to_server->bytes, {});
  on.receive(record.substr(0, 9));
  CHECK(!on.client->since(eviction::idle).has_value());
  on.receive(record.substr(9));
  CHECK(on.client->since(eviction::idle) == since);
  CHECK(on.budget().used_bytes() == 0);
  CHECK(on.requests_out == 0);
  on.send(on.get);
  CHECK(on.dispatched.size() == 2);
}

TEST_CASE("half a request is answered after close_notify, not after a cut") {
  connection_tls_bench on;
  REQUIRE(on.shake_hands() == handshake_status::done);
  on.send("GET /x HTTP/1.1\r\n");
  REQUIRE(on.to_client->bytes.empty());
  const bool cut = GENERATE(false, true);
  if (!cut) on.asks.shutdown_write();
  on.carry();
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  on.carry();
  CHECK(on.to_client->bytes.empty() == cut);
  CHECK(on.metrics.tls_truncated.get() == (cut ? 1 : 0));
}

TEST_CASE("a client that ends without close_notify gets its answer") {
  connection_tls_bench on;
  REQUIRE(on.shake_hands() == handshake_status::done);
  on.send(on.get);
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  on.reply("{}");
  CHECK(on.received().ends_with("{}"));
}

TEST_CASE("bytes held for a slow TLS reader are leased") {
  connection_tls_bench on;
  REQUIRE(on.shake_hands() == handshake_status::done);
  on.send(on.get);
  on.peer.room = 1'000;
  on.answer(shared_answer(500'000, 'x'));
  on.end_turn();
  CHECK(on.client->since(eviction::blocked).has_value());
  CHECK(on.budget().used_bytes() > 500'000 + 60'000);
  std::string got;
  for (int i = 0; i < 100; ++i) {
    on.peer.room = 10'000;
    on.event(EPOLLOUT);
    got += on.received();
  }
  CHECK(got.size() > 500'000);
  CHECK(on.budget().used_bytes() == 0);
  CHECK(!on.client->since(eviction::blocked).has_value());
}

TEST_CASE("a proxied client beyond its connections is closed silently") {
  connection_tls_bench on{preamble::trusted_proxy_header};
  on.takes_client = false;
  on.receive("PROXY TCP4 192.0.2.7 10.0.0.1 1000 443\r\n");
  CHECK(on.closings == 1);
  CHECK(on.peer.writes.empty());
}

TEST_CASE("the last answer is followed by a close_notify") {
  connection_tls_bench on;
  REQUIRE(on.shake_hands() == handshake_status::done);
  on.send("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  on.reply("{}");
  on.carry();
  CHECK(on.peer.shut);
  on.to_client->ended = true;
  auto how = io_status::blocked;
  CHECK(read_all(on.asks, &how).ends_with("{}"));
  CHECK(how == io_status::ended);
  CHECK(!on.asks.is_truncated());
}

TEST_CASE("a handshake is charged once, and refused by a reset") {
  connection_tls_bench taken;
  REQUIRE(taken.shake_hands() == handshake_status::done);
  CHECK(taken.handshakes_charged == 1);
  connection_tls_bench refused;
  CHECK(refused.handshakes_charged == 0); // nothing has come yet
  refused.takes_handshakes = false;
  CHECK(refused.shake_hands() != handshake_status::done);
  CHECK(refused.handshake_ends == std::vector{handshake_end::refused});
  CHECK(refused.handshaking == 0);
  CHECK(refused.written().empty());
  CHECK(refused.peer.reset);
  CHECK(refused.closings == 1);
}

} // namespace
} // namespace matchcloud::http
