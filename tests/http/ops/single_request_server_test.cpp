#include "http/ops/single_request_server.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/raw_connection.hpp"

#include <unistd.h>

#include <memory>

namespace {

using namespace matchcloud;
using e2e::raw_connection;

/// Answers `/read` with the request's body, and anything else without reading the body.
struct running {
  http::single_request_server server{http::httplib_settings{}};
  e2e::address bound;

  running() {
    using httplib::ContentReader;
    using httplib::Request;
    using httplib::Response;
    server.Get("/peer", [](const Request& request, Response& into) {
      into.set_content(request.remote_addr, "text/plain");
    });
    server.Get("/large", [](const Request&, Response& into) {
      into.set_content(std::string(8'000'000, 'x'), "text/plain");
    });
    server.Post("/read", [](const Request&, Response& into, const ContentReader& body) {
      std::string text;
      body([&](const char* bytes, std::size_t count) {
        text.append(bytes, count);
        return true;
      });
      into.set_content(text, "text/plain");
    });
    server.Post("/refuse", [](const Request&, Response& into, const ContentReader&) {
      into.status = 403;
      into.set_content("no", "text/plain");
    });
    const auto at = server.bind(http::parse_endpoint("127.0.0.1:0").value()).value();
    bound = {model::to_string(at.address), at.port};
    server.start([] {});
  }
};

std::string post(const std::string& path, std::size_t declared) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(declared) + "\r\n\r\n";
}

TEST_CASE("a request is answered and its connection closed") {
  const running one;
  raw_connection client{one.bound};
  const auto got = client.ask("GET /peer HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(got.status == 200);
  CHECK(got.body == "127.0.0.1");
  CHECK(got.header("connection") == "close");
  CHECK(client.closed());
}

TEST_CASE("a body arrives whole however it is cut") {
  const running one;
  const std::string body(50'000, 'b');
  raw_connection client{one.bound};
  client.send(post("/read", body.size()).substr(0, 20));
  client.send(post("/read", body.size()).substr(20) + body.substr(0, 10'000));
  client.send(body.substr(10'000));
  CHECK(client.receive().body == body);

  raw_connection chunked{one.bound};
  chunked.send("POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  chunked.send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  CHECK(chunked.receive().body == "abcde");
}

TEST_CASE("a large answer arrives whole") {
  const running one;
  raw_connection client{one.bound};
  CHECK(client.ask("GET /large HTTP/1.1\r\nHost: a\r\n\r\n").body.size() == 8'000'000);
}

TEST_CASE("an answer arrives although the client has sent what nobody reads") {
  const running one;
  for (int i = 0; i < 20; ++i) {
    raw_connection client{one.bound};
    // Blocking would take more than the socket buffers hold; a smaller body already causes a reset.
    client.send(post("/refuse", 500'000) + std::string(500'000, 'x'));
    const auto got = client.receive();
    CHECK(got.status == 403);
    CHECK(got.body == "no");
    CHECK(client.closed());
  }
}

TEST_CASE("an answer arrives while the client goes on sending") {
  const running one;
  raw_connection client{one.bound};
  client.send(post("/refuse", 500'000) + "first");
  CHECK(client.receive().status == 403);
  for (int i = 0; i < 4; ++i)
    CHECK(client.try_send(std::string(1'000, 'x')));
}

TEST_CASE("what cannot be read as a request is answered too") {
  const running one;
  raw_connection client{one.bound};
  client.send("nonsense\r\n\r\n" + std::string(100'000, 'x'));
  CHECK(client.receive().status == 400);
}

TEST_CASE("a client that never stops sending is cut off") {
  const running one;
  raw_connection client{one.bound};
  client.send(post("/refuse", 1'000'000'000));
  const std::string block(64 * 1024, 'x');
  const e2e::deadline until;
  std::size_t sent = 0;
  while (!until.passed() && client.try_send(block))
    sent += block.size();
  CHECK_FALSE(until.passed());
  CHECK(sent >= http::single_request_server::linger_limit_bytes);
}

TEST_CASE("a line that never ends is cut off, in the head and in a chunk's size") {
  const running one;
  for (const std::string begin :
       {"GET /", "GET /peer HTTP/1.1\r\nHost: a\r\nX: ",
        "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;"}) {
    raw_connection client{one.bound};
    client.send(begin);
    const std::string block(64 * 1024, 'x');
    std::size_t sent = 0;
    while (sent < 32'000'000 && client.try_send(block))
      sent += block.size();
    // Beyond what the server reads, the buffers of both sockets.
    CHECK(sent < 32'000'000);
  }
}

TEST_CASE("a head that never ends is cut off, by its size and by its time") {
  const running one;
  raw_connection large{one.bound};
  large.send("GET /peer HTTP/1.1\r\nHost: a\r\n");
  std::string block;
  while (block.size() < 64 * 1024)
    block += "X: y\r\n";
  std::size_t sent = 0;
  while (sent < 32'000'000 && large.try_send(block))
    sent += block.size();
  CHECK(sent < 32'000'000);

  raw_connection slow{one.bound};
  slow.send("GET /peer HTTP/1.1\r\nHost: a\r\nX: ");
  const e2e::deadline until;
  while (!until.passed() && !slow.readable(e2e::milliseconds{100}) && slow.try_send("x")) {
  }
  CHECK_FALSE(until.passed());
  CHECK(slow.receive().status == 400);
}

TEST_CASE("the server ends beside a client that it lingers for") {
  running one;
  raw_connection client{one.bound};
  client.send(post("/refuse", 10));
  CHECK(client.receive().status == 403);
  one.server.end();
  CHECK_FALSE(one.server.is_running());
}

TEST_CASE("a listening socket that two servers share outlives the one that stops accepting") {
  auto first = std::make_unique<running>();
  const auto where = http::parse_endpoint(first->bound.authority()).value();
  base::file_descriptor shared{::dup(first->server.listening().get())};
  const auto request = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";

  raw_connection begun{first->bound};
  begun.send("GET /peer HTTP/1.1\r\n");
  // The answer on this later connection shows that `begun` was accepted.
  CHECK(raw_connection{first->bound}.ask(request).status == 404);
  first->server.stop_accepting();
  // Closes its descriptor. Nobody else accepts yet, and no connection is refused.
  raw_connection waiting{first->bound};
  waiting.send(request);
  CHECK_FALSE(waiting.readable(e2e::milliseconds{50}));
  begun.send("Host: localhost\r\n\r\n");
  CHECK(begun.receive().status == 200);
  const auto to = first->bound;
  first.reset();

  http::single_request_server second{http::httplib_settings{}};
  REQUIRE(second.adopt(std::move(shared), where));
  second.start([] {});
  CHECK(waiting.receive().status == 404);
  CHECK(raw_connection{to}.ask(request).status == 404);
}

} // namespace
