// Server shutdown: the effect of SIGTERM, SIGINT and SIGQUIT, idle and under load.
#include "tests/catch.hpp"
#include "tests/service/server.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace {

using namespace matchcloud::e2e;

TEST_CASE("in the delay before the drain the server is not ready and serves on", "[lifecycle]") {
  server of{{"--drain-delay-ms", "2000"}};
  raw_connection before{of.data()};
  before.ask(regions_request);
  CHECK(of.ready_status() == 200);
  const auto signalled = std::chrono::steady_clock::now();
  of.process().signal(SIGTERM);
  REQUIRE(eventually([&] { return of.ready_status() == 503; }));
  check_serves(of.data());
  CHECK(before.ask(regions_request).header("connection") != "close");
  CHECK(of.process().running());
  CHECK(eventually([&] { return !raw_connection::try_connect(of.data()); }));
  CHECK(std::chrono::steady_clock::now() - signalled >= std::chrono::milliseconds{2'000});
  before.reset(); // idle, it would be kept until the last third of the drain
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("while draining the server is not ready, takes no connection and serves those it has",
          "[lifecycle]") {
  const auto number = GENERATE(SIGTERM, SIGINT, SIGQUIT);
  server of{{"--loops", "2", "--drain-timeout-ms", "600000", "--drain-delay-ms", "1"}};
  std::vector<raw_connection> clients;
  for (int i = 0; i < 10; ++i)
    clients.emplace_back(of.data()).ask(regions_request);
  CHECK(of.ready_status() == 200);
  of.process().signal(number);
  REQUIRE(eventually([&] { return of.ready_status() == 503; }));
  CHECK(eventually([&] { return !raw_connection::try_connect(of.data()); }));
  for (auto& client : clients) {
    const auto got = client.ask(regions_request);
    CHECK(got.status == 200);
    CHECK(got.header("connection") == "close");
    CHECK(client.closed());
  }
  clients.clear();
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("a request that is under way when draining begins is answered", "[lifecycle]") {
  server of{{"--loops", "2", "--drain-timeout-ms", "600000"}};
  raw_connection in_head{of.data()};
  raw_connection in_body{of.data()};
  const auto posted = request("POST", groups_target, good_group);
  in_head.send(std::string_view{regions_request}.substr(0, 10));
  in_body.send(std::string_view{posted}.substr(0, posted.size() - 3));
  const auto begun = static_cast<double>(10 + posted.size() - 3);
  REQUIRE(eventually([&] { return of.metric("matchcloud_received_bytes_total") == begun; }));
  of.process().signal(SIGTERM);
  REQUIRE(eventually([&] { return of.ready_status() == 503; }));
  in_head.send(std::string_view{regions_request}.substr(10));
  CHECK(in_head.receive().status == 200);
  in_body.send(std::string_view{posted}.substr(posted.size() - 3));
  CHECK(in_body.receive().status == 200);
  CHECK(in_head.closed());
  CHECK(in_body.closed());
  in_head.reset();
  in_body.reset();
  CHECK(of.process().exit_code() == 0);
}

/// Connections without a request, of which every other one has had an answer.
std::vector<raw_connection> idle_clients(const server& of) {
  std::vector<raw_connection> clients;
  for (int i = 0; i < 20; ++i)
    clients.emplace_back(of.data());
  for (std::size_t i = 0; i < clients.size(); i += 2)
    clients[i].ask(regions_request);
  REQUIRE(eventually([&] { return of.metric("matchcloud_connections") == 20; }));
  return clients;
}

TEST_CASE("idle connections are closed in the last third of the drain timeout if there was a delay "
          "before it",
          "[lifecycle]") {
  constexpr milliseconds whole{1'500};
  server of{{"--loops", "2", "--drain-timeout-ms", "1500", "--drain-delay-ms", "1"}};
  auto clients = idle_clients(of);
  const auto begun = clock::now();
  of.process().signal(SIGTERM);
  for (auto& client : clients)
    CHECK(client.closed());
  CHECK(clock::now() - begun >= whole * 2 / 3 - milliseconds{20});
  clients.clear();
  CHECK(of.process().exit_code() == 0);
  CHECK(clock::now() - begun < whole + milliseconds{2'000});
}

TEST_CASE("without a delay before the drain, idle connections are closed at once", "[lifecycle]") {
  server of{{"--loops", "2", "--drain-timeout-ms", "600000"}};
  auto clients = idle_clients(of);
  of.process().signal(SIGTERM);
  for (auto& client : clients)
    CHECK(client.closed());
  clients.clear();
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("an idle connection whose client keeps it open does not hold up the end", "[lifecycle]") {
  // As shipped: docker kills after 10 seconds.
  server of;
  raw_connection idle{of.data()};
  idle.ask(regions_request);
  const auto begun = clock::now();
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
  CHECK(clock::now() - begun < milliseconds{5'000});
}

TEST_CASE("requests that are left at the end of the drain timeout get a 503 and are cut",
          "[lifecycle][shipped]") {
  server of{{"--loops", "2", "--drain-timeout-ms", "300"}};
  raw_connection half{of.data()};
  half.send(std::string_view{regions_request}.substr(0, 10));
  REQUIRE(eventually([&] { return of.metric("matchcloud_received_bytes_total") == 10; }));
  of.process().signal(SIGTERM);
  CHECK(half.receive().problem_code() == "draining");
  CHECK(half.closed());
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("a second signal ends the server at once", "[lifecycle]") {
  const auto second = GENERATE(SIGTERM, SIGINT);
  // During the drain, and in the delay before it.
  const std::string delay = second == SIGTERM ? "0" : "600000";
  server of{{"--drain-timeout-ms", "600000", "--drain-delay-ms", delay}};
  raw_connection half{of.data()};
  half.send(std::string_view{regions_request}.substr(0, 10));
  // The request has begun, so the transport waits for it.
  REQUIRE(eventually([&] { return of.metric("matchcloud_received_bytes_total") == 10; }));
  check_serves(of.data());
  of.process().signal(SIGTERM);
  REQUIRE(eventually([&] { return of.ready_status() == 503; }));
  CHECK(of.process().running());
  of.process().signal(second);
  CHECK(of.process().exit_code() == 1);
}

/// Sends requests on one connection until the server announces that it closes.
struct steady_client {
  explicit steady_client(const address& to) : connection{to} {}

  raw_connection connection;
  /// Requests sent and answers received; equal unless a request was lost.
  int sent = 0;
  int answered = 0;
  bool told_to_close = false;
  std::string failure;

  /// `begun` counts the clients that have an answer.
  void run(std::atomic<int>& total, std::atomic<int>& begun, bool with_body) {
    const auto bytes = with_body
                           ? request("POST", groups_target, std::string(70'000, ' ') + good_group)
                           : regions_request;
    try {
      while (!told_to_close) {
        if (!connection.try_send(bytes)) {
          failure = "the connection was gone when a request was sent";
          return;
        }
        ++sent;
        const auto got = connection.try_receive();
        if (!got) {
          failure = "no answer";
          return;
        }
        if (got->status != 200) failure = "status " + std::to_string(got->status);
        if (answered++ == 0) begun.fetch_add(1);
        total.fetch_add(1);
        told_to_close = got->header("connection") == "close";
      }
    } catch (const std::exception& broken) {
      failure = broken.what();
    }
  }
};

TEST_CASE("a signal under load loses no request", "[lifecycle][shipped]") {
  const auto number = GENERATE(SIGTERM, SIGINT);
  for (int round = 0; round < 5; ++round) {
    server of{{"--loops", "2"}};
    std::vector<steady_client> clients;
    for (int i = 0; i < 16; ++i)
      clients.emplace_back(of.data());
    std::atomic<int> total{0};
    std::atomic<int> begun{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < clients.size(); ++i)
      threads.emplace_back([&, i] { clients[i].run(total, begun, i % 4 == 0); });
    const bool warm = eventually([&] { return begun == 16 && total >= 500 + 100 * round; });
    of.process().signal(number);
    for (auto& thread : threads)
      thread.join();
    CHECK(warm);
    for (const auto& client : clients) {
      CHECK(client.failure == "");
      CHECK(client.answered == client.sent);
      CHECK(client.told_to_close);
    }
    clients.clear();
    CHECK(of.process().exit_code() == 0);
  }
}

TEST_CASE("connections made before the signal are served, even if not accepted yet",
          "[lifecycle]") {
  server of{{"--loops", "2"}};
  check_serves(of.data());
  // The connections queue while the process is stopped, and the signal arrives before they are
  // accepted.
  of.process().signal(SIGSTOP);
  std::vector<raw_connection> clients;
  for (int i = 0; i < 50; ++i)
    clients.emplace_back(of.data()).send(regions_request);
  of.process().signal(SIGTERM);
  of.process().signal(SIGCONT);
  for (auto& client : clients) {
    const auto got = client.receive();
    CHECK(got.status == 200);
  }
  clients.clear();
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("draining finishes an ingest that has begun, and ends connections of watchers",
          "[lifecycle]") {
  const world own;
  server of{{"--drain-timeout-ms", "60000"}, own};
  const auto head = [](const std::string& line, const std::string& more = {}) {
    return line + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
  };
  raw_connection ingesting{of.ops()};
  ingesting.send(head("POST /v1/lobbies", "Content-Length: 4\r\n") + "{}");
  raw_connection watching{of.ops()};
  watching.send(head("GET /events"));
  CHECK(watching.receive_bytes(15) == "HTTP/1.1 200 OK");
  raw_connection idle{of.ops()};
  CHECK(idle.ask(head("GET /healthz")).status == 200);
  REQUIRE(eventually([&] { return of.metric("matchcloud_ingests_running") == 1; }));
  of.process().signal(SIGTERM);
  CHECK(idle.closed());
  CHECK(of.process().running());
  ingesting.send("\n\n");
  const auto done = ingesting.receive();
  CHECK(done.status == 422); // its one line is no lobby
  CHECK(done.header("connection") == "close");
  CHECK(ingesting.closed());
  CHECK(of.process().exit_code() == 0);
}

} // namespace
