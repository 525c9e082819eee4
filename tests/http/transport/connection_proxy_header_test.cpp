#include "http/transport/connection.hpp"

#include "tests/fixtures/proxy_header_bytes.hpp"
#include "tests/http/transport/connection_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

constexpr auto timer_tick = timer_queue::tick;
const std::string line = "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n";
const std::string unknown_line = "PROXY UNKNOWN\r\n";
const std::string forwarded_get = "GET /x HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 203.0.113.9\r\n"
                                  "Forwarded: for=203.0.113.9\r\n\r\n";
const std::string get_behind_proxy{connection_bench::get};

/// Limits of ten seconds for a head and one minute for everything else.
http::limits short_heads() {
  http::limits set;
  set.body_timeout = set.idle_timeout = set.write_timeout = set.request_timeout = 60'000ms;
  set.head_timeout = 10'000ms;
  return set;
}

struct proxied : connection_bench {
  explicit proxied(preamble begins_with = preamble::trusted_proxy_header)
      : connection_bench{short_heads(), begins_with} {}

  std::string peer_of_current() const { return to_string(client->current_request()->peer); }
};

TEST_CASE("the PROXY header's address is the peer of every request behind it") {
  for (const auto& header : {line, proxy_v2("192.0.2.7", "10.0.0.1", "\x04\x05")}) {
    proxied on;
    on.receive(header + forwarded_get + get_behind_proxy);
    REQUIRE(on.dispatched.size() == 1);
    CHECK(on.peer_of_current() == "192.0.2.7");
    // Forwarding headers behind a PROXY header are the front's to judge.
    CHECK(on.client->current_request()->get(header::x_forwarded_for) == "203.0.113.9");
    on.reply("1");
    REQUIRE(on.dispatched.size() == 2);
    CHECK(on.peer_of_current() == "192.0.2.7");
    on.reply("2");
    CHECK(on.written().ends_with("\r\n\r\n2"));
    CHECK(count_of(on.written(), "HTTP/1.1 200 OK") == 2);
  }
}

TEST_CASE("a PROXY header and its request may come byte by byte") {
  const auto all = proxy_v2("2001:db8::1", "2001:db8::2") + get_behind_proxy;
  proxied bytewise;
  for (const char c : all)
    bytewise.receive({&c, 1});
  REQUIRE(bytewise.dispatched.size() == 1);
  CHECK(bytewise.peer_of_current() == "2001:db8::1");
  CHECK(bytewise.client->current_request()->target == "/x");
}

TEST_CASE("an untrusted peer's PROXY header is dropped") {
  proxied on{preamble::ignored_proxy_header};
  on.receive(line + get_behind_proxy);
  REQUIRE(on.dispatched.size() == 1);
  CHECK(on.client->current_request()->peer == address_of(1));
}

TEST_CASE("a proxy's own connection keeps the socket's peer and its headers") {
  proxied on;
  on.receive(proxy_block(0x20, 0x11, network_bytes("192.0.2.7") + "12345678") + forwarded_get);
  REQUIRE(on.dispatched.size() == 1);
  CHECK(on.client->current_request()->peer == address_of(1));
  CHECK(on.client->current_request()->get(header::x_forwarded_for) == "203.0.113.9");
}

TEST_CASE("a client that its proxy does not know cannot name itself") {
  for (const auto& header : {unknown_line, proxy_block(0x21, 0x00, ""),
                             proxy_block(0x21, 0x31, std::string(216, 's'))}) {
    proxied on;
    on.receive(header + forwarded_get + forwarded_get);
    for (int i = 0; i < 2; ++i) {
      REQUIRE(on.client->waiting());
      const auto& got = *on.client->current_request();
      CHECK(got.peer == address_of(1));
      CHECK(got.get(header::x_forwarded_for).empty());
      CHECK(got.get(header::forwarded).empty());
      on.reply("{}");
    }
  }
}

TEST_CASE("anything but a PROXY header is 400 and closes") {
  for (const auto from : {preamble::trusted_proxy_header, preamble::ignored_proxy_header})
    for (const auto& bytes :
         {get_behind_proxy, std::string{"PROXY TCP4 192.0.2.7\r\n"} + get_behind_proxy,
          std::string{"\x16\x03\x01\x02"}, proxy_block(0x22, 0x11, "") + get_behind_proxy}) {
      CAPTURE(bytes);
      proxied on{from};
      on.receive(bytes);
      CHECK(on.dispatched.empty());
      CHECK(on.written().starts_with("HTTP/1.1 400 Bad Request\r\n"));
      CHECK(on.wrote("\"code\":\"request_malformed\""));
      CHECK(on.wrote("expects a PROXY protocol header"));
      CHECK(on.wrote("Connection: close\r\n"));
      CHECK(on.peer.shut);
      CHECK(on.requests_out == 0);
      CHECK(on.buffers_out == 0);
      on.receive(line + get_behind_proxy);
      CHECK(on.dispatched.empty());
    }
}

TEST_CASE("a second PROXY header is no request") {
  proxied on;
  on.receive(line + line + get_behind_proxy);
  CHECK(on.dispatched.empty());
  CHECK(on.written().starts_with("HTTP/1.1 400 "));
}

TEST_CASE("health checks with at most a PROXY header are closed silently") {
  for (const auto& sent : {std::string{}, proxy_block(0x20, 0x00, "")}) {
    proxied on;
    on.receive(sent);
    on.peer.ended = true;
    on.event(EPOLLIN | EPOLLRDHUP);
    CHECK(on.client->is_closed());
    CHECK(on.peer.writes.empty());
  }
}

TEST_CASE("an end within the PROXY header is told") {
  proxied on;
  on.receive(line.substr(0, 10));
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  CHECK(on.written().starts_with("HTTP/1.1 400 "));
  CHECK(on.wrote("before the PROXY protocol header was complete"));
}

TEST_CASE("a PROXY header has its time from the accept, however it trickles") {
  proxied on;
  on.advance(9'000ms);
  on.receive("PROXY ");
  on.advance(900ms);
  on.receive("TCP4 ");
  CHECK(on.peer.writes.empty());
  on.advance(100ms + timer_tick);
  CHECK(on.written().starts_with("HTTP/1.1 408 "));
  CHECK(on.wrote("The PROXY protocol header took too long"));
  CHECK(on.peer.shut);
}

TEST_CASE("behind its PROXY header a connection is as any other") {
  proxied on;
  on.advance(9'000ms);
  on.receive(line);
  on.advance(9'900ms); // idle, before its first request
  CHECK(!on.peer.shut);
  on.receive("GET /x HTTP/1.1\r\n");
  on.advance(9'900ms); // in its head
  CHECK(on.peer.writes.empty());
  on.receive("Host: h\r\n\r\n");
  REQUIRE(on.dispatched.size() == 1);
  on.reply("{}");
  CHECK(on.requests_out == 0);
  CHECK(on.buffers_out == 0);
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("draining ends a connection without a request, not one within its PROXY header") {
  proxied silent;
  silent.draining = true;
  silent.client->close_if_idle();
  silent.end_turn();
  CHECK(silent.peer.shut);
  CHECK(silent.peer.writes.empty());

  proxied begun;
  begun.receive(line.substr(0, 10));
  begun.draining = true;
  begun.client->close_if_idle();
  CHECK(!begun.peer.shut);
  begun.receive(line.substr(10) + get_behind_proxy);
  REQUIRE(begun.dispatched.size() == 1);
  begun.reply("{}");
  CHECK(begun.wrote("Connection: close"));

  proxied cut;
  cut.receive(line.substr(0, 10));
  cut.client->end_now();
  CHECK(cut.written().starts_with("HTTP/1.1 503 "));
  CHECK(cut.client->is_closed());
}

} // namespace
} // namespace matchcloud::http
