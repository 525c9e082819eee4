// The ops plane under hostile clients, busy loops and a store that hangs.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/load.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using std::chrono::steady_clock;

/// What the slowest of the better half of the probes may take. One probe may be late because the
/// machine is busy with other tests.
constexpr milliseconds probe_limit{50};

std::string head_of(const std::string& method, const std::string& target,
                    const std::string& more = {}) {
  return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
}

answer ask_hostile(const server& of, const std::string& method, const std::string& target,
                   const std::string& body = {}) {
  raw_connection client{of.ops()};
  return client.ask(
      head_of(method, target, "Content-Length: " + std::to_string(body.size()) + "\r\n") + body);
}

/// Probes health and readiness, each time on a new connection, and checks how long that takes.
void check_health(const server& of) {
  std::vector<milliseconds> took;
  for (int i = 0; i < 20; ++i) {
    const auto begun = steady_clock::now();
    raw_connection client{of.ops()};
    const auto health = client.ask(head_of("GET", "/healthz"));
    INFO(health.body);
    CHECK(health.status == 200);
    CHECK(client.ask(head_of("GET", "/readyz")).status == 200);
    took.push_back(std::chrono::ceil<milliseconds>(steady_clock::now() - begun));
  }
  std::sort(took.begin(), took.end());
  CHECK(took[took.size() / 2] <= probe_limit);
}

TEST_CASE("health is answered despite five thousand hostile connections", "[limits]") {
  raise_descriptor_limit();
  const server of;
  std::vector<raw_connection> hostile;
  for (int i = 0; i < 5'000; ++i) {
    if (auto client = raw_connection::try_connect(of.ops())) {
      // Heads, collected bodies and streamed ones that never end.
      const auto started = i % 3 == 0 ? std::string{"GET /healthz HTTP/1.1\r\nHo"}
                           : i % 3 == 1
                               ? head_of("PUT", "/v1/tiers/a", "Content-Length: 9\r\n") + "{"
                               : head_of("POST", "/v1/lobbies", "Content-Length: 9\r\n") + "{";
      client->try_send(started);
      hostile.push_back(*std::move(client));
    }
    if (i % 1'000 == 999) check_health(of);
  }
  std::atomic<bool> done{false};
  std::thread dripping{[&] {
    while (!done)
      for (auto& each : hostile)
        each.send_some("x");
  }};
  check_health(of);
  CHECK(of.metric("matchcloud_ops_connections_evicted_idle_total") > 1'000);
  CHECK(of.metric("matchcloud_ops_connections") <= 2'048);
  done = true;
  dripping.join();
}

TEST_CASE("health is answered despite saturated data loops", "[limits]") {
  const server of{{"--loops", "2"}};
  std::atomic<bool> done{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 4; ++i)
    busy.emplace_back([&] {
      const auto body = request("POST", games_target, std::string(60'000, ' ') + "{}");
      while (!done) {
        auto client = raw_connection::try_connect(of.data());
        for (int j = 0; client && j < 100 && !done; ++j) {
          client->try_send(body);
          client->try_receive();
        }
      }
    });
  const auto validated = [&] {
    return of.metric("matchcloud_requests_total{operation=\"validate_game\",status=\"200\"}");
  };
  CHECK(eventually([&] { return validated() > 100; }));
  const auto before = validated();
  check_health(of);
  CHECK(eventually([&] { return validated() > before; }));
  done = true;
  for (auto& each : busy)
    each.join();
}

TEST_CASE("health is answered while the store hangs, and what hangs is told after its time",
          "[limits][embedded]") {
  const world own;
  const server of{
      {"--enable-fault-injection", "--request-timeout-ms", "1500", "--ingest-timeout-ms", "1500"},
      own};
  for (const std::string point : {"store.open", "store.write"})
    REQUIRE(ask_hostile(of, "PUT", "/faults/" + point, R"({"kind":"stall"})").status == 200);
  std::vector<raw_connection> waiting;
  for (int i = 0; i < 10; ++i)
    waiting.emplace_back(of.ops()).send(head_of("GET", "/v1/games"));
  raw_connection ingesting{of.ops()};
  ingesting.send(head_of("POST", "/v1/lobbies", "Content-Length: 3\r\n") + "{}\n");
  check_health(of);
  CHECK(ask_hostile(of, "GET", "/metrics").status == 200);
  for (auto& each : waiting)
    CHECK(each.receive().status == 504);
  CHECK(ask_hostile(of, "DELETE", "/faults").status == 204);
  CHECK(eventually([&] { return ask_hostile(of, "GET", "/v1/games").status == 200; }));
}

/// The resident memory of a server in KiB.
long resident_kib(const server& of) {
  std::ifstream in{"/proc/" + std::to_string(of.process().pid()) + "/statm"};
  long pages = 0;
  in >> pages >> pages;
  return pages * 4;
}

TEST_CASE("a thousand watchers of the status get it, at little cost each", "[limits][shipped]") {
  raise_descriptor_limit();
  const server of;
  of.metric("matchcloud_ops_budget_used_bytes"); // so that what /metrics needs is there before
  [[maybe_unused]] const auto before = resident_kib(of);
  std::vector<raw_connection> watching;
  for (int i = 0; i < 1'000; ++i)
    watching.emplace_back(of.ops()).send(head_of("GET", "/events"));
  REQUIRE(eventually(
      [&] { return of.metric("matchcloud_mailbox_requests{owner=\"reports\"}") >= 1'000; }));
  for (auto& each : watching) {
    const auto begun = each.receive_bytes(400);
    CHECK(begun.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(begun.find("text/event-stream") != std::string::npos);
    CHECK(begun.find("data: {\"ready\":true,") != std::string::npos);
  }
  if (!matchcloud::fixtures::programs_are_sanitized()) CHECK(resident_kib(of) - before < 8 * 1'000);
  CHECK(of.metric("matchcloud_ops_budget_used_bytes") < 100'000);
  watching.clear();
  CHECK(
      eventually([&] { return of.metric("matchcloud_mailbox_requests{owner=\"reports\"}") < 3; }));
}

TEST_CASE("the ops plane keeps connections open, answers HEAD, and takes pipelined requests",
          "[operations]") {
  const server of;
  raw_connection client{of.ops()};
  for (int i = 0; i < 3; ++i)
    CHECK(client.ask(head_of("GET", "/healthz")).status == 200);
  client.send(head_of("HEAD", "/metrics"));
  const auto headed = client.receive(true);
  CHECK(headed.status == 200);
  CHECK(std::stoi(headed.header("content-length")) > 1'000);
  client.send(head_of("GET", "/readyz") + head_of("GET", "/nowhere") + head_of("GET", "/healthz"));
  CHECK(client.receive().body == R"({"ready":true})");
  CHECK(client.receive().status == 404);
  CHECK(client.receive().body == R"({"status":"ok"})");
}

} // namespace
