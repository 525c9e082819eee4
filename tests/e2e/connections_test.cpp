// Client behaviour on connections, with the loops transport: one case per subject, whose cases are
// in tests/http/transport and tests/http/wire.
#include "tests/catch.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tokens.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;

const address& loops() {
  return plain_server("loops").data();
}

std::string id_header(int number) {
  return "X-Request-Id: r" + std::to_string(number) + "\r\n";
}

void send_in_single_bytes(raw_connection& client, std::string_view bytes) {
  for (const char& byte : bytes)
    client.send({&byte, 1});
}

/// The names in a header's list, in lower case.
std::set<std::string> names_in(std::string_view list) {
  std::set<std::string> names;
  std::string name;
  for (const char c : std::string{list} + ',') {
    if (c == ',') {
      if (!name.empty()) names.insert(name);
      name.clear();
    } else if (c != ' ') {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return names;
}

TEST_CASE("a connection serves request after request until the client says close", "[lifecycle]") {
  raw_connection client{plain_server().data()};
  for (int i = 0; i < 200; ++i) {
    REQUIRE(client.ask(request("GET", regions_target)).status == 200);
    REQUIRE(client.ask(request("POST", groups_target, good_group)).status == 200);
  }
  const auto last = client.ask(request("GET", regions_target, {}, "Connection: close\r\n"));
  CHECK(last.status == 200);
  CHECK(last.header("connection") == "close");
  CHECK(client.closed());
}

TEST_CASE("the table of descriptors never grows while loops run", "[lifecycle]") {
  // The kernel suspends a process that grows its descriptor table until all processors have
  // noticed.
  server many{{"--max-connections", "1500"}};
  std::ifstream status{"/proc/" + std::to_string(many.process().pid()) + "/status"};
  std::string word;
  while (status >> word && word != "FDSize:") {
  }
  int size = 0;
  status >> size;
  CHECK(size >= 1'500);
}

TEST_CASE("a hundred pipelined requests are answered in order", "[lifecycle]") {
  raw_connection client{loops()};
  std::string all;
  for (int i = 0; i < 100; ++i)
    switch (i % 4) {
    case 0: all += request("GET", regions_target, {}, id_header(i)); break;
    case 1: all += request("POST", groups_target, good_group, id_header(i)); break;
    case 2: all += request("GET", "/nowhere", {}, id_header(i)); break;
    case 3:
      all += request("POST", games_target, std::string(70'000, ' ') + "{}", id_header(i));
      break;
    }
  client.send(all);
  for (int i = 0; i < 100; ++i) {
    const auto got = client.receive();
    REQUIRE(got.header("x-request-id") == "r" + std::to_string(i));
    REQUIRE(got.status == (i % 4 == 2 ? 404 : 200));
    if (i % 4 == 3) REQUIRE(findings(got.body).size() == 1);
  }
  CHECK(client.ask(request("GET", regions_target)).status == 200);
}

TEST_CASE("a request that comes in single bytes is the same request", "[lifecycle]") {
  raw_connection client{loops()};
  send_in_single_bytes(client, request("GET", regions_target, {}, id_header(1)));
  CHECK(client.receive().header("x-request-id") == "r1");
  send_in_single_bytes(client, request("POST", groups_target, good_group, id_header(2)));
  CHECK(client.receive().body == R"({"errors":[]})");
  send_in_single_bytes(client, "POST /cloud/games/validate HTTP/1.1\r\nHost: a\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n"
                               "1;x=y\r\n{\r\n1\r\n}\r\n0\r\nX-Trailer: a\r\n\r\n");
  CHECK(findings(client.receive().body).size() == 1);
}

TEST_CASE("a client that waits for 100 Continue gets it, then its answer", "[lifecycle]") {
  raw_connection client{loops()};
  const auto whole = request("POST", groups_target, good_group, "Expect: 100-continue\r\n");
  const auto head_end = whole.find("\r\n\r\n") + 4;
  client.send(std::string_view{whole}.substr(0, head_end));
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(client.receive_bytes(interim.size()) == interim);
  CHECK_FALSE(client.readable(milliseconds{50}));
  client.send(std::string_view{whole}.substr(head_end));
  CHECK(client.receive().status == 200);

  // A client that does not wait needs no interim response.
  CHECK(client.ask(whole).status == 200);
  const auto refused = client.ask(request("POST", groups_target, good_group, "Expect: tea\r\n"));
  CHECK(refused.status == 417);
  CHECK(client.closed());
}

TEST_CASE("a client that ends its sending direction gets its answers", "[lifecycle]") {
  raw_connection client{loops()};
  std::string all;
  for (int i = 0; i < 10; ++i)
    all += request("POST", groups_target,
                   i % 3 == 0 ? std::string(70'000, ' ') + good_group : good_group, id_header(i));
  client.send(all);
  client.finish();
  for (int i = 0; i < 10; ++i)
    REQUIRE(client.receive().header("x-request-id") == "r" + std::to_string(i));
  CHECK(client.closed());
}

TEST_CASE("resets at any point leave the server healthy", "[lifecycle]") {
  const server own{{"--loops", "2"}};
  const auto whole = request("POST", groups_target, std::string(70'000, ' ') + good_group) +
                     request("GET", regions_target);
  for (std::size_t i = 0; i < 300; ++i) {
    raw_connection client{own.data()};
    client.send(std::string_view{whole}.substr(0, i * whole.size() / 299));
    client.reset();
  }
  CHECK(eventually([&] { return own.metric("matchcloud_connections") == 0; }));
  CHECK(eventually([&] { return own.metric("matchcloud_requests_in_flight") == 0; }));
  CHECK(eventually([&] { return own.metric("matchcloud_budget_used_bytes") == 0; }));
  check_serves(own.data());
}

TEST_CASE("two thousand idle connections do not disturb active ones", "[lifecycle]") {
  raise_descriptor_limit();
  const server own{{"--loops", "2"}};
  std::vector<raw_connection> idle;
  for (int i = 0; i < 2'000; ++i)
    idle.emplace_back(own.data());
  raw_connection active{own.data()};
  for (int i = 0; i < 300; ++i)
    REQUIRE(active.ask(request("GET", regions_target)).status == 200);
  // The kernel hands silent ones over after a second.
  CHECK(eventually([&] { return own.metric("matchcloud_connections") == 2'001; }));
  for (auto& each : idle)
    REQUIRE(each.ask(request("GET", regions_target)).status == 200);
}

/// A request that must never be answered after a refusal.
const std::string smuggled = request("GET", regions_target, {}, "X-Request-Id: smuggled\r\n");

struct refused_case {
  std::string name;
  std::string bytes;
  int status = 400;
};

TEST_CASE(
    "a request that two parsers could read differently ends its connection, with any behind it",
    "[limits][hostile]") {
  const std::string post = "POST /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n";
  const std::string get = "GET /matchmaker/regions HTTP/1.1\r\nHost: a\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  // One of each family; all are in tests/http/wire/framer_cases.cpp.
  for (const auto& each : {
           refused_case{"length and chunked",
                        post + "Content-Length: 5\r\n" + chunked + "\r\n5\r\nhello\r\n0\r\n\r\n"},
           {"two lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"},
           {"folded line", get + "X: y\r\n z\r\n\r\n"},
           {"LF alone ends a line", get + "X: y\n\r\n"},
           {"two Hosts", get + "Host: b\r\n\r\n"},
           {"chunk longer than its size", post + chunked + "\r\n4\r\nhello\r\n0\r\n\r\n"},
           {"length among the trailers", post + chunked + "\r\n0\r\nContent-Length: 5\r\n\r\n"},
           {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
           {"TLS hello", "\x16\x03\x01\x02"},
           {"PROXY header where none is expected", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"},
       }) {
    INFO(each.name);
    raw_connection client{loops()};
    client.send(each.bytes + smuggled);
    const auto got = client.receive();
    INFO(got.body);
    CHECK(got.status == each.status);
    CHECK(got.header("connection") == "close");
    CHECK(got.header("x-request-id") != "smuggled");
    CHECK(client.closed());
  }
  // What is odd and clear is answered once, and its connection serves on.
  raw_connection client{loops()};
  client.send(get + "Content-Length: " + std::to_string(smuggled.size()) + "\r\n\r\n" + smuggled +
              request("GET", "/nowhere", {}, "X-Request-Id: next\r\n"));
  CHECK(client.receive().status == 200);
  CHECK(client.receive().header("x-request-id") == "next");
  CHECK_FALSE(client.readable(milliseconds{0}));
}

/// What a page may read of an answer without being told (Fetch standard), and what is about the
/// connection, the body's type or this protocol and not for pages.
const std::set<std::string> readable_or_useless{"cache-control",
                                                "content-language",
                                                "content-length",
                                                "content-type",
                                                "expires",
                                                "last-modified",
                                                "pragma",
                                                "connection",
                                                "vary",
                                                "x-content-type-options",
                                                "cross-origin-resource-policy",
                                                "timing-allow-origin",
                                                "access-control-allow-origin",
                                                "access-control-expose-headers"};

TEST_CASE("pages may read all headers that they may need", "[operations]") {
  const server of{{"--auth", "required"}};
  const std::string image = "/media/avatars/00000000-0000-4000-8000-000000000104/"
                            "cdfa358e19689248cc4b27590f27f5d0.png";
  std::set<std::string> seen;
  const auto check = [&](const std::string& method, const std::string& target, int status,
                         const std::string& lines = {}) {
    CAPTURE(method, target, lines);
    raw_connection client{of.data()};
    client.send(request(method, target, {}, "Origin: https://play.example\r\n" + lines));
    const auto got = client.receive(method == "HEAD");
    CHECK(got.status == status);
    CHECK(got.header("access-control-allow-origin") == "*");
    const auto exposed = names_in(got.header("access-control-expose-headers"));
    CHECK(exposed.contains("x-request-id"));
    for (const auto& [name, value] : got.headers) {
      CAPTURE(name);
      CHECK((readable_or_useless.contains(name) || exposed.contains(name)));
      seen.insert(name);
    }
  };
  check("GET", regions_target, 200);
  check("GET", regions_target, 200, "Accept-Encoding: gzip\r\n");
  check("GET", regions_target, 304, "If-None-Match: *\r\n");
  check("GET", regions_target, 412, "If-Match: \"x\"\r\n");
  check("GET", regions_target + "?rtt=x", 400);
  check("POST", regions_target, 405);
  check("GET", regions_target, 401, "Authorization: Bearer mc_x\r\n");
  check("GET", "/ping", 204);
  check("GET", "/openapi.json", 200);
  check("GET", image, 200);
  check("GET", image, 206, "Range: bytes=0-9\r\n");
  check("GET", image, 416, "Range: bytes=999999-\r\n");
  check("HEAD", image, 200);
  check("GET", "/media/avatars/x/y.png", 400);
  check("GET", regions_target, 417, "Expect: tea\r\n");
  for (const std::string needed : {"etag", "content-range", "content-disposition", "allow",
                                   "www-authenticate", "accept-ranges", "x-request-id", "date"})
    CHECK(seen.contains(needed));
}

/// Sends all of a body before reading anything, as libraries do; the answer's status.
int send_then_read(const address& to, const std::string& head, std::size_t bytes) {
  raw_connection client{to};
  client.send(head);
  const std::string part(256UL * 1024, ' ');
  for (std::size_t sent = 0; sent < bytes; sent += part.size())
    client.send(std::string_view{part}.substr(0, std::min(part.size(), bytes - sent)));
  const auto got = client.receive();
  if (got.status == 413) CHECK(got.problem_code() == "body_too_large");
  CHECK(got.header("connection") == "close");
  return got.status;
}

TEST_CASE("a refusal reaches clients that send all of a body before they read", "[lifecycle]") {
  constexpr std::size_t bytes = 10UL << 20U;
  const auto& of = plain_server();
  const auto length = "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
  const auto head = [&](const std::string& line) {
    return line + " HTTP/1.1\r\nHost: localhost\r\n" + length;
  };
  CHECK(send_then_read(of.data(), head("POST " + groups_target), bytes) == 413);
  CHECK(send_then_read(of.ops(), head("PUT /v1/tiers/a"), bytes) == 413);
  const server over_tls{tls_data + shared_files().flags()};
  tls_client client{over_tls.data(), tls_1_3()};
  client.send(head("POST " + groups_target));
  const std::string part(256UL * 1024, ' ');
  for (std::size_t sent = 0; sent < bytes; sent += part.size())
    client.send(part);
  CHECK(client.receive().problem_code() == "body_too_large");
  CHECK(client.receive_end() == tls_end::close_notify);
}

TEST_CASE("a listener on [::] says that it takes IPv6 only, and does", "[operations]") {
  const server of{{"--listen", "[::]:0", "--insecure-open", "--transport", "loops"}};
  const address v6{"::1", of.data().port};
  CHECK(raw_connection{v6}.ask(request("GET", "/ping")).status == 204);
  CHECK_FALSE(raw_connection::try_connect({"127.0.0.1", of.data().port}));
}

TEST_CASE("the lines at the start name listeners that take IPv6 only or expect PROXY headers",
          "[operations]") {
  child_process started{{"serve", "--data-dir", shared_world().data_dir(), "--listen",
                         "[::]:0,[::]:0/proxy,[::1]:0,0.0.0.0:0", "--insecure-open", "--ops-listen",
                         "[::1]:0"}};
  std::vector<std::string> lines;
  do {
    const auto line = started.next_line();
    REQUIRE(line);
    lines.push_back(*line);
  } while (!lines.back().starts_with("ops plane on "));
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].ends_with(" (IPv6 only)"));
  CHECK(lines[1].ends_with(" (IPv6 only) (PROXY protocol)"));
  for (std::size_t i = 2; i < lines.size(); ++i)
    CHECK(lines[i].find("IPv6 only") == std::string::npos);
  CHECK(started.says("expects PROXY protocol headers, but no proxy is trusted"));
}

} // namespace
