// Client behaviour on connections, with the loops transport.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"

#include <fstream>
#include <random>
#include <string>

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

TEST_CASE("HTTP/1.0 closes unless it asks to be kept", "[lifecycle]") {
  raw_connection closing{loops()};
  const auto once = closing.ask("GET /matchmaker/regions HTTP/1.0\r\n\r\n");
  CHECK(once.status == 200);
  CHECK(once.header("connection") == "close");
  CHECK(closing.closed());

  raw_connection kept{loops()};
  for (int i = 0; i < 3; ++i) {
    const auto got = kept.ask("GET /matchmaker/regions HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
    CHECK(got.status == 200);
    CHECK(got.header("connection") == "keep-alive");
  }
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

TEST_CASE("pipelined requests behind one that closes are not answered", "[lifecycle]") {
  raw_connection client{loops()};
  client.send(request("GET", regions_target) +
              request("GET", regions_target, {}, "Connection: close\r\n") +
              request("GET", regions_target));
  CHECK(client.receive().status == 200);
  CHECK(client.receive().header("connection") == "close");
  CHECK(client.closed());
}

TEST_CASE("requests behind one that is refused are not read", "[lifecycle]") {
  raw_connection client{loops()};
  client.send(request("GET", regions_target) + "GET / HTTP/1.1\r\nHost : a\r\n\r\n" +
              request("GET", regions_target));
  CHECK(client.receive().status == 200);
  const auto refused = client.receive();
  CHECK(refused.status == 400);
  CHECK(refused.problem_code() == "request_malformed");
  CHECK(client.closed());
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

TEST_CASE("a body in chunks is the same body", "[lifecycle]") {
  raw_connection client{loops()};
  const auto got = client.ask("POST /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n"
                              "transfer-encoding: Chunked\r\n\r\n"
                              "10\r\n{\"display_name\":\r\n"
                              "0007;note=\"x\"\r\n\"Team\"}\r\n"
                              "0\r\nX-Checksum: 1\r\n\r\n");
  CHECK(got.status == 200);
  CHECK(got.body == R"({"errors":[]})");
  CHECK(client.ask(request("GET", regions_target)).status == 200);
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

TEST_CASE("a body that is too large is refused before it is sent", "[lifecycle]") {
  raw_connection client{loops()};
  const auto got = client.ask("POST /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n"
                              "Content-Length: 2000000\r\nExpect: 100-continue\r\n\r\n");
  CHECK(got.status == 413);
}

TEST_CASE("a target in absolute form is its path, whatever valid Host comes with it",
          "[lifecycle]") {
  raw_connection client{loops()};
  const std::string line = "GET http://play.example/matchmaker/regions HTTP/1.1\r\n";
  CHECK(client.ask(line + "Host: play.example\r\n\r\n").status == 200);
  CHECK(client.ask(line + "Host: other.example\r\n\r\n").status == 200);
  CHECK(client.ask(line + "\r\n").status == 400);
  CHECK(client.closed());
}

TEST_CASE("a POST without a length has no body", "[lifecycle]") {
  raw_connection client{loops()};
  const auto got = client.ask("POST /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(got.problem_code() == "body_malformed");
  CHECK(client.ask(request("GET", regions_target)).status == 200);
}

TEST_CASE("what two parsers could read differently is refused", "[lifecycle]") {
  const std::string post = "POST /cloud/groups/validate HTTP/1.1\r\n";
  for (const auto& bytes : {
           post + "Host: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
           post + "Host: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n",
           post + "Host: a\r\nContent-Length: +2\r\n\r\n",
           post + "Host: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
           post + "Host: a\r\nHost: b\r\n\r\n",
           post + "Host: a\r\nX: a\r\n b\r\n\r\n",
           post + "Host: a\nX: y\r\n\r\n",
           post + "\r\n",
           std::string{"GET /matchmaker/regions HTTP/1.1 \r\nHost: a\r\n\r\n"},
           std::string{"GET  /matchmaker/regions HTTP/1.1\r\nHost: a\r\n\r\n"},
           std::string{"\x16\x03\x01\x02"},
       }) {
    raw_connection client{loops()};
    INFO(bytes);
    const auto got = client.ask(bytes);
    CHECK(got.status == 400);
    CHECK(got.problem_code() == "request_malformed");
    CHECK(client.closed());
  }
  raw_connection client{loops()};
  CHECK(client.ask("GET / HTTP/2.0\r\nHost: a\r\n\r\n").status == 505);
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

TEST_CASE("half a request and the end of sending is told", "[lifecycle]") {
  for (const std::string_view half :
       {"G", "GET / HTTP/1.1\r\nHost",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"}) {
    raw_connection client{loops()};
    client.send(half);
    client.finish();
    CHECK(client.receive().status == 400);
    CHECK(client.closed());
  }
  raw_connection silent{loops()};
  silent.finish();
  CHECK(silent.closed());
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

TEST_CASE("any bytes end in a refusal or a closed connection", "[lifecycle]") {
  std::mt19937 random{20'240'229};
  std::uniform_int_distribution<int> byte{0, 255};
  const std::string_view seeds[] = {
      "", "GET ", "POST /cloud/groups/validate HTTP/1.1\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"};
  for (int round = 0; round < 400; ++round) {
    std::string bytes{seeds[round % 4]};
    for (int i = 0; i < 64; ++i)
      bytes += static_cast<char>(byte(random));
    raw_connection client{loops()};
    client.try_send(bytes);
    client.finish();
    while (const auto got = client.try_receive()) {
      INFO(got->body);
      REQUIRE(got->status >= 400);
      REQUIRE(got->status < 500);
    }
  }
  check_serves(loops());
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

TEST_CASE("loops that poll serve, sleep and serve again", "[lifecycle]") {
  const server own{{"--loops", "2", "--busy-poll-us", "1000"}};
  raw_connection client{own.data()};
  for (int i = 0; i < 100; ++i)
    REQUIRE(client.ask(request("GET", regions_target)).status == 200);
  // Twenty times what a loop polls for: both sleep.
  REQUIRE_FALSE(client.readable(milliseconds{20}));
  REQUIRE(client.ask(request("GET", regions_target)).status == 200);
  check_serves(own.data());
}

TEST_CASE("thousands of connections may come and go", "[lifecycle]") {
  const server own{{"--loops", "2"}};
  constexpr int count = 5'000;
  for (int i = 0; i < count; ++i) {
    raw_connection client{own.data()};
    if (i % 3 == 0) REQUIRE(client.ask(request("GET", regions_target)).status == 200);
    if (i % 3 == 1) client.reset();
  }
  CHECK(eventually([&] { return own.metric("matchcloud_connections") == 0; }));
  CHECK(own.metric("matchcloud_connections_accepted_total") <= count);
  CHECK(own.metric("matchcloud_connections_accepted_total") > count / 2);
  check_serves(own.data());
}

} // namespace
