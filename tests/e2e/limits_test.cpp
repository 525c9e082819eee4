// Limits of the loops transport that a whole service has to keep. The boundaries of all are in
// tests/http/transport and in the tables of tests/http/wire.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <stdexcept>
#include <vector>

namespace {

using namespace matchcloud::e2e;

/// Checks that `got` is the last answer on `client`, a refusal with `status` and `code`.
void check_closed(raw_connection& client, const answer& got, int status, const std::string& code) {
  INFO(got.body);
  CHECK(got.status == status);
  CHECK(got.problem_code() == code);
  CHECK(got.header("connection") == "close");
  CHECK(got.header("x-request-id").size() == 32);
  CHECK(client.closed());
}

void check_kept(raw_connection& client, const answer& got) {
  CHECK(got.status == 200);
  CHECK(got.header("connection").empty());
  CHECK(client.ask(request("GET", regions_target)).status == 200);
}

std::string request_with_head_of(std::size_t bytes) {
  const std::string before = "GET /matchmaker/regions HTTP/1.1\r\nHost: a\r\nX-Pad: ";
  return before + std::string(bytes - before.size() - 4, 'x') + "\r\n\r\n";
}

std::string request_with_target_of(std::size_t bytes) {
  const auto before = regions_target + "?";
  return request("GET", before + std::string(bytes - before.size(), 'x'));
}

std::string body_of(std::size_t bytes) {
  return good_group + std::string(bytes - good_group.size(), ' ');
}

TEST_CASE("heads, targets and bodies may have their limit of bytes and not one more",
          "[limits][shipped]") {
  const server small{{"--loops", "2", "--head-limit-bytes", "512", "--target-limit-bytes", "128",
                      "--body-limit-bytes", "2048"}};
  const auto check = [&](const std::string& at_limit, const std::string& beyond, int status,
                         const std::string& code) {
    raw_connection kept{small.data()};
    check_kept(kept, kept.ask(at_limit));
    raw_connection closed{small.data()};
    check_closed(closed, closed.ask(beyond), status, code);
  };
  check(request_with_head_of(512), request_with_head_of(513), 431, "head_too_large");
  check(request_with_target_of(128), request_with_target_of(129), 414, "target_too_long");
  check(request("POST", groups_target, body_of(2048)),
        request("POST", groups_target, body_of(2049)), 413, "body_too_large");
}

TEST_CASE("an address that has its share of busy connections gets a 503 that says so",
          "[limits][plain]") {
  const server few{{"--loops", "1", "--max-connections", "8"}};
  std::vector<raw_connection> busy;
  for (int i = 0; i < 4; ++i)
    busy.emplace_back(few.data()).send("GET");
  REQUIRE(eventually([&] { return few.metric("matchcloud_received_bytes_total") == 12; }));
  raw_connection refused{few.data()};
  const auto got = refused.receive();
  CHECK(got.status == 503);
  CHECK(got.problem_code() == "overloaded");
  CHECK(got.header("retry-after") == "1");
  CHECK(refused.closed());
  CHECK(few.metric("matchcloud_connections_refused_total") == 1);
  // A client at another address is accepted.
  raw_connection other{few.data(), "127.0.0.2"};
  CHECK(other.ask(request("GET", regions_target)).status == 200);
}

/// Clients that pipeline more requests than sockets buffer, and read nothing.
std::vector<raw_connection> pipelines_unread(const address& to, int count) {
  std::string block;
  for (int i = 0; i < 3'000; ++i)
    block += request("GET", regions_target);
  std::vector<raw_connection> unread;
  for (int i = 0; i < count; ++i) {
    unread.emplace_back(to, std::string{}, 4096);
    unread.back().send_some(block);
  }
  return unread;
}

TEST_CASE("answers that no client reads do not use up the byte budget", "[limits][shipped]") {
  const server of{{"--loops", "2", "--byte-budget-bytes", "16777216"}};
  const auto large = request("POST", groups_target, body_of(1'000'000));
  const auto served = [&] {
    raw_connection client{of.data()};
    return client.ask(large).status == 200;
  };
  auto unread = pipelines_unread(of.data(), 120);
  const auto used = [&] { return of.metric("matchcloud_budget_used_bytes"); };
  REQUIRE(eventually([&] { return used() > 1'000'000; }));
  for (int i = 0; i < 20; ++i)
    CHECK(served());
  CHECK(used() < 12'000'000);
  unread.clear();
  CHECK(eventually([&] { return used() == 0; }));
}

TEST_CASE("the memory of a burst goes back to the system", "[limits][shipped]") {
  if (matchcloud::fixtures::programs_are_sanitized()) return;
  const server of{{"--loops", "2"}};
  const auto resident_kib = [&] { return number_in_status(of.process().pid(), "VmRSS"); };
  check_serves(of.data());
  const auto before_kib = resident_kib();
  auto unread = pipelines_unread(of.data(), 300);
  REQUIRE(eventually([&] { return resident_kib() > before_kib + 64 * 1024; }));
  unread.clear();
  CHECK(eventually([&] { return resident_kib() < before_kib + 8 * 1024; },
                   deadline{milliseconds{60'000}}));
}

TEST_CASE("beyond max-in-flight the answer is 503, and the connection stays open",
          "[limits][plain][shipped]") {
  server busy{{"--loops", "1", "--max-in-flight", "1"}};
  std::vector<raw_connection> clients;
  for (int i = 0; i < 8; ++i)
    CHECK(clients.emplace_back(busy.data()).ask(request("GET", regions_target)).status == 200);
  // All requests are in the sockets when the loop resumes: it takes one and has no budget left.
  busy.process().signal(SIGSTOP);
  for (auto& client : clients)
    client.send(request("GET", regions_target));
  busy.process().signal(SIGCONT);
  int answered = 0;
  int refused = 0;
  for (auto& client : clients) {
    const auto got = client.receive();
    if (got.status == 200) {
      ++answered;
      continue;
    }
    ++refused;
    CHECK(got.status == 503);
    CHECK(got.problem_code() == "overloaded");
    CHECK(got.header("retry-after") == "1");
    CHECK(got.header("connection").empty());
  }
  CHECK(answered >= 1);
  CHECK(refused >= 1);
  for (auto& client : clients)
    CHECK(client.ask(request("GET", regions_target)).status == 200);
  CHECK(eventually([&] { return busy.metric("matchcloud_requests_in_flight") == 0; }));
}

TEST_CASE("a head that does not arrive is refused in time", "[limits][shipped]") {
  const server impatient{{"--loops", "2", "--head-timeout-ms", "300"}};
  raw_connection client{impatient.data()};
  const auto begun = clock::now();
  client.send("GET / HTTP/1.1\r\nHo");
  check_closed(client, client.receive(), 408, "head_timeout");
  // Timers round up to ticks of 50 ms.
  CHECK(clock::now() - begun >= milliseconds{250});
}

constexpr std::size_t large_body_bytes = 1024 * 1024;
constexpr std::size_t large_requests = 30;

/// A version of almost 1 MiB in which every member is wrong.
std::string wrong_version() {
  std::string body = R"({"display_name":"v","config":{)";
  for (int i = 0; body.size() < large_body_bytes - 32; ++i)
    body.append("\"m").append(std::to_string(i)).append("\":1,");
  return body + R"("cdn":1}})";
}

double seconds_of(raw_connection& client, const std::string& text) {
  const auto begin = clock::now();
  if (client.ask(text).status != 200) throw std::runtime_error{"not answered"};
  return std::chrono::duration<double>(clock::now() - begin).count();
}

double quantile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(static_cast<double>(times.size() - 1) * share)];
}

struct latencies {
  double small_p99;
  double large_median;
};

/// Measures small requests while large ones run on another connection of the same loop.
latencies measure(const server& on) {
  const auto small = request("POST", groups_target, good_group);
  const auto large = request("POST", versions_target, wrong_version());
  auto all_large = std::async(std::launch::async, [&] {
    raw_connection client{on.data()};
    std::vector<double> times;
    while (times.size() < large_requests)
      times.push_back(seconds_of(client, large));
    return times;
  });
  raw_connection client{on.data()};
  std::vector<double> small_times;
  do
    small_times.push_back(seconds_of(client, small));
  while (all_large.wait_for(std::chrono::seconds{0}) != std::future_status::ready);
  return {quantile(small_times, 0.99), quantile(all_large.get(), 0.5)};
}

TEST_CASE("small requests do not wait for the validation of large bodies", "[limits]") {
  const server one_loop{{"--loops", "1"}};
  // If the loop validated large bodies itself, small requests would wait as long as those take,
  // every time. On a busy machine small requests are sometimes late in either case.
  bool flows = false;
  for (int attempt = 0; attempt < 5 && !flows; ++attempt) {
    const auto took = measure(one_loop);
    UNSCOPED_INFO("small p99 " << took.small_p99 << " s, large median " << took.large_median);
    flows = took.small_p99 < took.large_median / 2;
  }
  CHECK(flows);
}

} // namespace
