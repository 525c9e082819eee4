// Every limit of the loops transport at its boundary: one below, at, one above.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/service/media_file.hpp"
#include "tests/service/server.hpp"

#include <sys/socket.h>

#include <csignal>
#include <cstdio>

namespace {

using namespace matchcloud::e2e;

/// A server with small size limits, so that their boundaries are cheap to reach.
server& small_server() {
  shared_world(); // outlives the server
  static server only{{"--loops", "2", "--head-limit-bytes", "512", "--target-limit-bytes", "128",
                      "--body-limit-bytes", "2048"}};
  return only;
}

/// Short timeouts, far enough apart to be distinguishable.
constexpr milliseconds head_timeout{300};
constexpr milliseconds body_timeout{600};
constexpr milliseconds idle_timeout{900};
constexpr milliseconds write_timeout{400};

server& impatient_server() {
  shared_world();
  static server only{{"--loops", "2", "--head-timeout-ms", "300", "--body-timeout-ms", "600",
                      "--idle-timeout-ms", "900", "--write-timeout-ms", "400"}};
  return only;
}

/// Timers round up to ticks. Both processes use the same clock, but reads may come late.
constexpr milliseconds tick{50};

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

std::string request_with_headers(std::size_t count) {
  std::string headers;
  for (std::size_t i = 1; i < count; ++i) // Host is the first
    headers += "A: b\r\n";
  return request("GET", regions_target, {}, headers);
}

std::string body_of(std::size_t bytes) {
  return good_group + std::string(bytes - good_group.size(), ' ');
}

std::string hex(std::size_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "%zx", number);
  return text;
}

std::string chunked(const std::string& body, std::size_t chunk_bytes) {
  std::string text = "POST /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < body.size(); at += chunk_bytes) {
    const auto part = body.substr(at, chunk_bytes);
    text += hex(part.size()) + "\r\n" + part + "\r\n";
  }
  return text + "0\r\n\r\n";
}

TEST_CASE("a head may have its limit of bytes and not one more", "[limits][shipped]") {
  for (const std::size_t bytes : {511U, 512U}) {
    raw_connection client{small_server().data()};
    check_kept(client, client.ask(request_with_head_of(bytes)));
  }
  raw_connection client{small_server().data()};
  check_closed(client, client.ask(request_with_head_of(513)), 431, "head_too_large");
}

TEST_CASE("a head without end is refused at its limit", "[limits]") {
  raw_connection client{small_server().data()};
  check_closed(client, client.ask(request_with_head_of(1000).substr(0, 513)), 431,
               "head_too_large");
}

TEST_CASE("a target may have its limit of bytes and not one more", "[limits]") {
  for (const std::size_t bytes : {127U, 128U}) {
    raw_connection client{small_server().data()};
    check_kept(client, client.ask(request_with_target_of(bytes)));
  }
  raw_connection client{small_server().data()};
  check_closed(client, client.ask(request_with_target_of(129)), 414, "target_too_long");
}

TEST_CASE("a head may have 100 header lines and not one more", "[limits]") {
  const server plain{{"--loops", "1"}};
  for (const std::size_t count : {99U, 100U}) {
    raw_connection client{plain.data()};
    check_kept(client, client.ask(request_with_headers(count)));
  }
  raw_connection client{plain.data()};
  check_closed(client, client.ask(request_with_headers(101)), 431, "head_too_large");
}

TEST_CASE("a body may have its limit of bytes and not one more", "[limits][shipped]") {
  for (const std::size_t bytes : {2047U, 2048U}) {
    raw_connection client{small_server().data()};
    check_kept(client, client.ask(request("POST", groups_target, body_of(bytes))));
  }
  raw_connection client{small_server().data()};
  check_closed(client, client.ask(request("POST", groups_target, body_of(2049))), 413,
               "body_too_large");
}

TEST_CASE("a chunked body may have its limit of bytes and not one more", "[limits]") {
  const auto chunk_bytes = GENERATE(as<std::size_t>{}, 1, 100, 4096);
  for (const std::size_t bytes : {2047U, 2048U}) {
    raw_connection client{small_server().data()};
    check_kept(client, client.ask(chunked(body_of(bytes), chunk_bytes)));
  }
  raw_connection client{small_server().data()};
  check_closed(client, client.ask(chunked(body_of(2049), chunk_bytes)), 413, "body_too_large");
}

TEST_CASE("the answer to a body that is too large arrives although the body is still being sent",
          "[limits]") {
  for (int i = 0; i < 20; ++i) {
    raw_connection client{small_server().data()};
    // Less than the amount that is discarded before the connection is reset.
    const auto sent = client.try_send(request("POST", groups_target, std::string(400'000, ' ')));
    CHECK(sent);
    check_closed(client, client.receive(), 413, "body_too_large");
  }
}

TEST_CASE("a client that goes on sending after its refusal is not reset", "[limits]") {
  raw_connection client{small_server().data()};
  const auto whole = request("POST", groups_target, std::string(300'000, ' '));
  constexpr std::size_t piece = 10'000;
  client.send(std::string_view{whole}.substr(0, piece));
  CHECK(client.receive().status == 413);
  CHECK(client.closed());
  for (std::size_t at = piece; at < whole.size(); at += piece)
    REQUIRE(client.try_send(std::string_view{whole}.substr(at, piece)));
}

TEST_CASE("a body beyond all bounds ends with its connection", "[limits]") {
  raw_connection client{small_server().data()};
  client.send("POST /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n"
              "Content-Length: 1000000000000\r\n\r\n");
  const auto got = client.receive();
  CHECK(got.status == 413);
  const std::string block(64 * 1024, 'x');
  const deadline until;
  std::size_t taken = 0;
  while (!until.passed()) {
    const auto sent = client.send_some(block);
    if (sent < 0) break;
    taken += static_cast<std::size_t>(sent);
    if (sent == 0) wait_for(client.descriptor(), POLLOUT, deadline{milliseconds{100}});
  }
  CHECK_FALSE(until.passed());
  // The amount that the server discards (docs/interface.md) plus what two sockets buffer.
  CHECK(taken < (256U + 32U) * 1024 * 1024);
}

TEST_CASE("where none is idle, the connection beyond the limit waits until one closes",
          "[limits]") {
  const server few{{"--loops", "2", "--max-connections", "3", "--connection-share-percent", "100"}};
  std::vector<raw_connection> clients;
  for (int i = 0; i < 3; ++i)
    clients.emplace_back(few.data()).send(std::string_view{regions_request}.substr(0, 10));
  REQUIRE(eventually([&] { return few.metric("matchcloud_received_bytes_total") == 30; }));
  raw_connection waiting{few.data()};
  waiting.send(regions_request);
  CHECK_FALSE(waiting.readable(milliseconds{300}));
  for (auto& client : clients) {
    client.send(std::string_view{regions_request}.substr(10));
    client.send(std::string_view{regions_request}.substr(0, 10));
    CHECK(client.receive().status == 200);
  }
  clients.pop_back();
  CHECK(waiting.receive().status == 200);
  CHECK(few.metric("matchcloud_connections") == 3);
}

TEST_CASE("silent connections keep nobody out", "[limits]") {
  const auto* share = GENERATE("25", "100");
  const server few{
      {"--loops", "2", "--max-connections", "100", "--connection-share-percent", share}};
  std::vector<raw_connection> silent;
  for (int i = 0; i < 140; ++i)
    silent.emplace_back(few.data());
  const auto check_serves_at_once = [&few] {
    const auto begun = clock::now();
    for (int i = 0; i < 10; ++i)
      check_serves(few.data());
    CHECK(clock::now() - begun < milliseconds{5'000});
    CHECK(few.metric("matchcloud_connections") <= 100);
  };
  check_serves_at_once(); // the kernel has the silent ones
  CHECK(eventually([&] { return few.metric("matchcloud_connections_evicted_idle_total") > 0; }));
  check_serves_at_once(); // and now the loops
}

TEST_CASE("an address with its share of busy connections is told so", "[limits][plain]") {
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

TEST_CASE("answers that nobody reads leave the budget to others", "[limits][shipped]") {
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

TEST_CASE("an urgent byte does not hold its request up", "[limits][plain]") {
  const auto& to = impatient_server().data();
  const auto begun = clock::now();
  for (int i = 0; i < 20; ++i) {
    raw_connection client{to};
    client.send("GET /matchmaker/regions HTTP/1.1\r\nHost: ");
    REQUIRE(::send(client.descriptor(), "a", 1, MSG_OOB) == 1);
    client.send("\r\n\r\n");
    const auto got = client.receive();
    INFO(got.body);
    CHECK(got.status == 200);
  }
  CHECK(clock::now() - begun < milliseconds{5'000});
}

TEST_CASE("a slow reader of a file is served as long as it takes the least rate",
          "[limits][plain]") {
  const auto* least = GENERATE("256", "1000000");
  const world own;
  media_file large;
  large.content = matchcloud::fixtures::numbered_bytes(4'000'000);
  large.put(own);
  const server of{{"--loops", "1", "--write-timeout-ms", "400", "--write-least-rate", least}, own};
  raw_connection slow{of.data(), {}, 4096};
  slow.send(request("GET", large.target()));
  const auto begun = clock::now();
  // Reads so slowly that the socket accepts nothing for longer than the timeout.
  bool cut = false;
  while (!cut && clock::now() - begun < 6 * write_timeout) {
    slow.receive_bytes(1'000);
    cut = slow.ended_within(write_timeout / 8) || of.metric("matchcloud_connections") == 0;
  }
  CHECK(cut == (std::string{least} != "256"));
}

TEST_CASE("beyond the requests in flight the answer is 503, and the connection stays",
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

TEST_CASE("a body may hold the byte budget less a head, and never more than the budget",
          "[limits]") {
  constexpr std::size_t budget = 1024 * 1024;
  // An unfinished request is charged with the head limit.
  constexpr std::size_t head = 8 * 1024;
  const server tight{{"--loops", "2", "--byte-budget-bytes", std::to_string(budget),
                      "--body-limit-bytes", "4194304"}};
  for (const std::size_t bytes : {budget - head - 1, budget - head}) {
    raw_connection client{tight.data()};
    check_kept(client, client.ask(request("POST", groups_target, body_of(bytes))));
    // The actor that answered releases the request a moment later.
    REQUIRE(eventually([&] { return tight.metric("matchcloud_budget_used_bytes") == 0; }));
  }
  raw_connection client{tight.data()};
  const auto got = client.ask(request("POST", groups_target, body_of(budget + 1)));
  CHECK(got.status == 503);
  CHECK(got.problem_code() == "budget_exhausted");
  CHECK(got.header("retry-after") == "1");
  CHECK(eventually([&] { return tight.metric("matchcloud_budget_used_bytes") == 0; }));
}

TEST_CASE("bytes that one connection holds are missing to the others until it closes", "[limits]") {
  const server tight{{"--loops", "2", "--byte-budget-bytes", "1048576"}};
  raw_connection holding{tight.data()};
  const auto large = request("POST", groups_target, body_of(1'000'000));
  holding.send(std::string_view{large}.substr(0, 900'000));
  REQUIRE(eventually([&] { return tight.metric("matchcloud_budget_used_bytes") > 890'000; }));

  const auto large_request = request("POST", groups_target, body_of(300'000));
  raw_connection refused{tight.data()};
  CHECK(refused.ask(large_request).problem_code() == "budget_exhausted");
  check_serves(tight.data());

  holding.reset();
  REQUIRE(eventually([&] { return tight.metric("matchcloud_budget_used_bytes") == 0; }));
  raw_connection served{tight.data()};
  CHECK(served.ask(large_request).status == 200);
}

TEST_CASE("a head that does not come is refused in time", "[limits][shipped]") {
  raw_connection client{impatient_server().data()};
  const auto begun = clock::now();
  client.send("GET / HTTP/1.1\r\nHo");
  check_closed(client, client.receive(), 408, "head_timeout");
  CHECK(clock::now() - begun >= head_timeout - tick);
}

TEST_CASE("a head that comes byte by byte gets no more time than any other", "[limits]") {
  raw_connection client{impatient_server().data()};
  const auto begun = clock::now();
  const auto slow = request_with_head_of(8'000);
  std::size_t sent = 0;
  while (sent < slow.size() && !client.readable(milliseconds{20}))
    client.send(std::string_view{slow}.substr(sent++, 1));
  check_closed(client, client.receive(), 408, "head_timeout");
  CHECK(clock::now() - begun < body_timeout);
  CHECK(sent < 100);
}

TEST_CASE("a body that does not come is refused in time, measured from the end of the head",
          "[limits]") {
  raw_connection client{impatient_server().data()};
  const auto whole = request("POST", groups_target, good_group);
  client.send(std::string_view{whole}.substr(0, whole.size() - 1));
  const auto begun = clock::now();
  check_closed(client, client.receive(), 408, "body_timeout");
  CHECK(clock::now() - begun >= body_timeout - tick);

  raw_connection in_chunks{impatient_server().data()};
  const auto parts = chunked(good_group, 1);
  in_chunks.send(std::string_view{parts}.substr(0, parts.size() - 1));
  check_closed(in_chunks, in_chunks.receive(), 408, "body_timeout");
}

TEST_CASE("slow heads and bodies that come in time are served", "[limits]") {
  raw_connection client{impatient_server().data()};
  const auto whole = request("POST", groups_target, good_group);
  const auto head_end = whole.find("\r\n\r\n") + 4;
  client.send(std::string_view{whole}.substr(0, 20));
  CHECK_FALSE(client.readable(head_timeout / 2));
  client.send(std::string_view{whole}.substr(20, head_end - 20));
  CHECK_FALSE(client.readable(body_timeout / 2));
  client.send(std::string_view{whole}.substr(head_end));
  check_kept(client, client.receive());
}

TEST_CASE("an idle connection is closed without an answer after its timeout", "[limits]") {
  raw_connection used{impatient_server().data()};
  CHECK(used.ask(request("GET", regions_target)).status == 200);
  auto begun = clock::now();
  CHECK(used.closed());
  CHECK(clock::now() - begun >= idle_timeout - tick);
  // Before its first request a connection has the head timeout, from when the kernel hands it over.
  begun = clock::now();
  raw_connection fresh{impatient_server().data()};
  CHECK(fresh.closed());
  CHECK(clock::now() - begun >= head_timeout - tick);
  CHECK(clock::now() - begun < idle_timeout + milliseconds{5'000});
}

TEST_CASE("a request resets the idle timeout", "[limits]") {
  raw_connection client{impatient_server().data()};
  const auto begun = clock::now();
  while (clock::now() - begun < 2 * idle_timeout) {
    REQUIRE(client.ask(request("GET", regions_target)).status == 200);
    REQUIRE_FALSE(client.readable(idle_timeout / 3));
  }
}

TEST_CASE("a client that takes no answers is disconnected, and nobody else", "[limits]") {
  server& of = impatient_server();
  REQUIRE(eventually([&] { return of.metric("matchcloud_connections") == 0; }));
  raw_connection stalled{of.data(), {}, 4096};
  // Sends until neither side accepts more.
  const auto begun = clock::now();
  const deadline until;
  std::size_t pipelined = 0;
  std::string block;
  for (int i = 0; i < 100; ++i)
    block += regions_request;
  while (!until.passed()) {
    const auto sent = stalled.send_some(block);
    if (sent < 0) break;
    pipelined += static_cast<std::size_t>(sent);
    if (sent == 0 && !wait_for(stalled.descriptor(), POLLOUT, deadline{milliseconds{100}})) break;
  }
  CHECK(pipelined > 0);
  check_serves(of.data());
  CHECK(eventually([&] { return of.metric("matchcloud_connections") == 0; }));
  CHECK(clock::now() - begun >= write_timeout - tick);
  CHECK_FALSE(until.passed());
  CHECK(eventually([&] { return of.metric("matchcloud_budget_used_bytes") == 0; }));
}

TEST_CASE("a client that takes its answers slowly gets them all", "[limits]") {
  raw_connection slow{impatient_server().data(), {}, 4096};
  constexpr int count = 3'000; // more than sockets buffer
  std::string all;
  for (int i = 0; i < count; ++i)
    all += request("GET", regions_target, {}, "X-Request-Id: r" + std::to_string(i) + "\r\n");
  std::string_view unsent{all};
  const auto begun = clock::now();
  for (int i = 0; i < count; ++i) {
    const auto sent = slow.send_some(unsent);
    REQUIRE(sent >= 0);
    unsent.remove_prefix(static_cast<std::size_t>(sent));
    REQUIRE(slow.receive().header("x-request-id") == "r" + std::to_string(i));
    if (i % 300 == 0) CHECK_FALSE(slow.ended_within(write_timeout / 4));
  }
  CHECK(clock::now() - begun > 2 * write_timeout);
}

TEST_CASE("a request that is not answered in time gets 504 and its connection serves on",
          "[limits]") {
  // Parsing this body takes longer than the shortest deadline.
  const server hurried{{"--loops", "1", "--request-timeout-ms", "10", "--body-limit-bytes",
                        "67108864", "--body-timeout-ms", "60000"}};
  std::string body = R"({"display_name":"Team","x":[0)";
  while (body.size() < 60'000'000)
    body += ",0,0,0,0,0,0,0,0";
  body += "]}";
  raw_connection client{hurried.data()};
  const auto got = client.ask(request("POST", groups_target, body));
  CHECK(got.status == 504);
  CHECK(got.problem_code() == "deadline_exceeded");
  CHECK(got.header("connection").empty());
  // The late answer must not be taken for a later request's answer.
  for (int i = 0; i < 50; ++i) {
    const auto listed = client.ask(request("GET", regions_target));
    CHECK(listed.status == 200);
    CHECK(listed.body.starts_with(R"({"regions":)"));
  }
}

} // namespace
