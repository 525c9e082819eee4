// HTTP as others speak it: what balancers, proxies, browsers and libraries send that is not how
// this project would write it.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tls_files.hpp"
#include "tests/service/tokens.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace matchcloud::e2e;

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

// -- balancers ----------------------------------------------------------------

TEST_CASE("health checks in HTTP/1.0 are answered without a Host, and nothing else is",
          "[operations]") {
  const auto& of = plain_server();
  const auto ask = [&](const std::string& head) {
    raw_connection client{of.ops()};
    client.send(head + "\r\n\r\n");
    auto got = client.receive();
    CHECK(client.closed());
    return got;
  };
  for (const std::string path : {"/healthz", "/readyz"}) {
    CAPTURE(path);
    CHECK(ask("GET " + path + " HTTP/1.0").status == 200);
    CHECK(ask("GET " + path + " HTTP/1.0\r\nUser-Agent: balancer").status == 200);
    CHECK(ask("OPTIONS " + path + " HTTP/1.0").status == 204);
    CHECK(ask("GET " + path + " HTTP/1.1").status == 400);
    CHECK(ask("GET " + path + " HTTP/1.0\r\nHost: evil.example").status == 403);
    CHECK(ask("GET " + path + " HTTP/1.0\r\nOrigin: https://evil.example").status == 403);
  }
  for (const std::string path : {"/", "/metrics", "/v1/games", "/v1/version"}) {
    CAPTURE(path);
    const auto refused = ask("GET " + path + " HTTP/1.0");
    CHECK(refused.status == 403);
    CHECK(refused.problem_code() == "host_not_allowed");
    CHECK(refused.body.find("/healthz") != std::string::npos);
  }
}

// -- lists --------------------------------------------------------------------

TEST_CASE("Expect may be empty, a list and repeated, and names nothing else", "[lifecycle]") {
  const auto status = [](const std::string& lines) {
    raw_connection client{plain_server().data()};
    return client.ask(request("POST", groups_target, good_group, lines)).status;
  };
  for (const std::string lines :
       {"Expect:\r\n", "Expect: ,\r\n", "Expect: 100-continue\r\nExpect: 100-Continue\r\n",
        "Expect: ,100-continue,, 100-continue\r\n", "Expect:\r\nExpect: 100-continue\r\n"}) {
    CAPTURE(lines);
    CHECK(status(lines) == 200);
  }
  for (const std::string lines :
       {"Expect: tea\r\n", "Expect: 100-continue, tea\r\n", "Expect: tea\r\nExpect:\r\n",
        "Expect: 100-continue\r\nExpect: tea=\"100-continue\"\r\n"}) {
    CAPTURE(lines);
    CHECK(status(lines) == 417);
  }
}

TEST_CASE("a client that waits for 100 Continue gets it, however its list is written",
          "[lifecycle]") {
  raw_connection client{plain_server().data()};
  const auto whole =
      request("POST", groups_target, good_group, "Expect: ,\r\nExpect: 100-continue,,\r\n");
  const auto head_end = whole.find("\r\n\r\n") + 4;
  client.send(std::string_view{whole}.substr(0, head_end));
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(client.receive_bytes(interim.size()) == interim);
  client.send(std::string_view{whole}.substr(head_end));
  CHECK(client.receive().status == 200);
}

TEST_CASE("empty elements are skipped in the lists of other headers", "[operations]") {
  raw_connection client{plain_server().data()};
  const auto plain = client.ask(request("GET", regions_target));
  const auto ask = [&](const std::string& line) {
    return client.ask(request("GET", regions_target, {}, line + "\r\n"));
  };
  const auto etag = plain.header("etag");
  CHECK(ask("Accept-Encoding: ,,gzip,,").header("content-encoding") == "gzip");
  CHECK(ask("Accept-Encoding: ,br, ,").header("content-encoding").empty());
  CHECK(ask("If-None-Match: ,, \"x\",," + etag + ",,").status == 304);
  CHECK(ask("If-Match: , ," + etag + ",").status == 200);
  CHECK(ask("If-Match: ,,").status == 412);
  CHECK(ask("Content-Encoding: ,identity,,").status == 200);
  CHECK(ask("Connection: ,,keep-alive,,").header("connection").empty());
  CHECK(ask("Connection: ,,close,").header("connection") == "close");
  CHECK(client.closed());
}

TEST_CASE("where a list decides about the end of a request, nothing is skipped", "[lifecycle]") {
  for (const std::string line :
       {"Transfer-Encoding: ,chunked", "Transfer-Encoding: chunked,",
        "Transfer-Encoding:", "Content-Length: 5,", "Content-Length: ,5", "Content-Length: 5,,5"}) {
    CAPTURE(line);
    raw_connection client{plain_server().data()};
    CHECK(client.ask("POST " + groups_target + " HTTP/1.1\r\nHost: a\r\n" + line + "\r\n\r\n")
              .status == 400);
    CHECK(client.closed());
  }
}

// -- streams through proxies --------------------------------------------------

TEST_CASE("events tell proxies to pass them on as they come", "[operations]") {
  raw_connection client{plain_server().ops()};
  client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string head;
  while (!head.ends_with("\r\n\r\n"))
    head += client.receive_bytes(1);
  const auto got = parse_answer_head(std::string_view{head}.substr(0, head.size() - 4));
  CHECK(got.status == 200);
  CHECK(got.header("x-accel-buffering") == "no");
  CHECK(names_in(got.header("cache-control")) == std::set<std::string>{"no-store", "no-transform"});
}

// -- pages --------------------------------------------------------------------

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

TEST_CASE("a page that is over its limit learns when to come back", "[operations][plain]") {
  const server of{{"--rate-limit-address-cheap", "1/3600", "--rate-limit-loopback"}};
  raw_connection client{of.data()};
  const auto ask = [&] {
    return client.ask(request("GET", "/ping", {}, "Origin: https://play.example\r\n"));
  };
  CHECK(ask().status == 204);
  const auto refused = ask();
  CHECK(refused.status == 429);
  const auto exposed = names_in(refused.header("access-control-expose-headers"));
  for (const std::string name : {"retry-after", "ratelimit", "ratelimit-policy"}) {
    CAPTURE(name);
    CHECK_FALSE(refused.header(name).empty());
    CHECK(exposed.contains(name));
  }
}

TEST_CASE("pages may send the headers of tracing libraries, and those of cors-headers",
          "[operations]") {
  const server of{
      {"--cors-headers", "X-Session,x-datadog-origin", "--cors-origins", "https://play.example"}};
  raw_connection client{of.data()};
  const auto allowed = [&](const std::string& target, const std::string& origin) {
    return names_in(client
                        .ask(request("OPTIONS", target, {},
                                     "Origin: " + origin +
                                         "\r\nAccess-Control-Request-Method: GET\r\n"
                                         "Access-Control-Request-Headers: ,traceparent,,\r\n"))
                        .header("access-control-allow-headers"));
  };
  for (const std::string target :
       {"/matchmaker/regions", "/ping", "/openapi.json", "/media/avatars/a/b.png"}) {
    CAPTURE(target);
    const auto names = allowed(target, "https://play.example");
    for (const std::string name : {"traceparent", "tracestate", "baggage", "sentry-trace",
                                   "x-request-id", "x-session", "x-datadog-origin"})
      CHECK(names.contains(name));
  }
  CHECK(allowed(regions_target, "https://evil.example").empty());
  CHECK(allowed(groups_target, "https://play.example").empty());
}

TEST_CASE("cors-headers are names that pages can set", "[operations]") {
  for (const std::string bad : {"Host", "a b", "*", "Sec-Fetch-Mode", "Cookie"}) {
    const auto got = run({"serve", "--data-dir", shared_world().data_dir(), "--cors-headers", bad});
    CAPTURE(bad, got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.errors.find("cors-headers") != std::string::npos);
  }
}

// -- targets ------------------------------------------------------------------

TEST_CASE("queries may have what browsers leave in them, and paths may not", "[operations]") {
  const auto& of = plain_server();
  for (const std::string mark : {"|", "\"", "{", "}", "^", "`", "\\", "[", "]"}) {
    CAPTURE(mark);
    raw_connection client{of.data()};
    CHECK(client.ask(request("GET", regions_target + "?a=1" + mark + "2")).status == 200);
    CHECK(client.ask(request("GET", "/ping?" + mark)).status == 204);
    if (mark == "[" || mark == "]") continue; // RFC 3986 allows them
    CHECK(client.ask(request("GET", "/ping" + mark)).status == 400);
    CHECK(client.closed());
  }
  for (const std::string mark : {"<", ">", "#", "\x01", "\x7f", "\xc3\xa9", "\t", " x"}) {
    CAPTURE(mark);
    raw_connection client{of.data()};
    CHECK(client.ask(request("GET", "/ping?a" + mark)).status == 400);
    CHECK(client.closed());
  }
}

TEST_CASE("a problem that repeats what a query has is JSON", "[operations]") {
  raw_connection client{plain_server().data()};
  const auto got = client.ask(request("GET", regions_target + R"(?rtt=a"}|\:1)"));
  CHECK(got.status == 400);
  const auto detail = text_at(parse_json(got.body), "detail");
  CAPTURE(detail);
  CHECK(detail.find(R"(a"}|\)") != std::string::npos);
}

// -- refusals before the end of a body ----------------------------------------

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
  const auto& of = plain_server();
  for (const std::size_t bytes : {2UL << 20U, 10UL << 20U}) {
    CAPTURE(bytes);
    const auto length = "Content-Length: " + std::to_string(bytes) + "\r\n";
    const auto post = "POST " + groups_target + " HTTP/1.1\r\nHost: localhost\r\n";
    CHECK(send_then_read(of.data(), post + length + "\r\n", bytes) == 413);
    CHECK(send_then_read(of.data(), post + "Content-Encoding: br\r\n" + length + "\r\n", bytes) ==
          415);
    // In one chunk that is announced over the limit.
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes);
    CHECK(send_then_read(of.data(), post + "Transfer-Encoding: chunked\r\n\r\n" + size, bytes) ==
          413);
    // On the ops plane heads are judged before their bodies.
    const auto put = "PUT /v1/tiers/a HTTP/1.1\r\nHost: localhost\r\n";
    CHECK(send_then_read(of.ops(), put + length + "\r\n", bytes) == 413);
    CHECK(send_then_read(
              of.ops(),
              "POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n" +
                  length + "\r\n",
              bytes) == 415);
  }
}

TEST_CASE("a refusal over TLS reaches clients that send all of a body before they read",
          "[lifecycle]") {
  const server of{tls_data + shared_files().flags()};
  constexpr std::size_t bytes = 10UL << 20U;
  const std::string part(256UL * 1024, ' ');
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    CAPTURE(offer.most_version);
    tls_client client{of.data(), offer};
    client.send("POST " + groups_target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                std::to_string(bytes) + "\r\n\r\n");
    for (std::size_t sent = 0; sent < bytes; sent += part.size())
      client.send(part);
    const auto got = client.receive();
    CHECK(got.status == 413);
    CHECK(got.problem_code() == "body_too_large");
    CHECK(client.receive_end() == tls_end::close_notify);
  }
}

// -- listeners ----------------------------------------------------------------

TEST_CASE("a listener on [::] says that it takes IPv6 only, and does", "[operations]") {
  const server of{{"--listen", "[::]:0", "--insecure-open", "--transport", "loops"}};
  const address v6{"::1", of.data().port};
  CHECK(raw_connection{v6}.ask(request("GET", "/ping")).status == 204);
  CHECK_FALSE(raw_connection::try_connect({"127.0.0.1", of.data().port}));
}

TEST_CASE("the lines at the start name the listeners that take IPv6 only", "[operations]") {
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
}

// -- small deviations ---------------------------------------------------------

TEST_CASE("an id in rtt that no region can have is refused", "[operations]") {
  raw_connection client{plain_server().data()};
  for (const std::string rtt : {"lon:5,%20syd:6", "SYD:6", "lon%20:5", "lon_1:5", "-lon:5"}) {
    CAPTURE(rtt);
    const auto got = client.ask(request("GET", regions_target + "?rtt=" + rtt));
    CHECK(got.status == 400);
    CHECK(got.problem_code() == "query_invalid");
  }
  CHECK(client.ask(request("GET", regions_target + "?rtt=lon:5,no-such-9:6")).status == 200);
}

TEST_CASE("bodies in another charset than UTF-8 are refused", "[operations]") {
  raw_connection client{plain_server().data()};
  const auto status = [&](const std::string& type) {
    return client.ask(request("POST", groups_target, good_group, "Content-Type: " + type + "\r\n"))
        .status;
  };
  for (const std::string type :
       {"application/json", "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
        "application/json; charset=us-ascii",
        "application/json; charset=", "application/json; profile=\"a;charset=x\""}) {
    CAPTURE(type);
    CHECK(status(type) == 200);
  }
  for (const std::string type :
       {"application/json; charset=utf-16", "application/json;CHARSET=\"utf-16le\"",
        "application/json; charset=iso-8859-1",
        "application/json; profile=\"a;b\"; charset=latin1"}) {
    CAPTURE(type);
    CHECK(status(type) == 415);
  }
}

} // namespace
