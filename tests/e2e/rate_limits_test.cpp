// How often a client may ask: by its address and by its token.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/tokens.hpp"

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace matchcloud::e2e;

/// Sends as many requests of one kind as `clients` can for `time`, over a connection each, and
/// counts those that were allowed.
struct storm {
  std::atomic<int> allowed{0};
  std::atomic<int> limited{0};
  std::atomic<int> other{0};

  storm(const address& to, int clients, milliseconds time, const std::string& text,
        const std::string& from = {}) {
    const deadline end{time};
    std::vector<std::jthread> all;
    for (int i = 0; i < clients; ++i)
      all.emplace_back([&] {
        raw_connection client{to, from};
        for (int refused = 0; !end.passed();) {
          const auto status = client.ask(text).status;
          ++(status == 200 ? allowed : status == 429 ? limited : other);
          refused = status == 429 ? refused + 1 : 0;
          // A connection that is refused more often in a row is read slowly.
          if (refused == 15) client = raw_connection{to, from};
          if (refused == 15) refused = 0;
        }
      });
  }
};

// The cases that count exactly do so without TLS, whose handshakes count, too.
TEST_CASE("a limit is one for all loops, exact to a hundredth", "[operations][plain]") {
  const server of{
      {"--loops", "2", "--rate-limit-loopback", "--rate-limit-address-cheap", "2000/2"}};
  const auto begun = std::chrono::steady_clock::now();
  const storm sent{of.data(), 8, milliseconds{2'000}, request("GET", regions_target)};
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  CAPTURE(sent.allowed.load(), sent.limited.load(), took.count());
  CHECK(sent.other == 0);
  CHECK(sent.limited > 0);
  // The whole quota at once, then a thousand a second. The clients' end is not the server's.
  const double expected = 2'000 + 1'000 * took.count();
  CHECK(sent.allowed <= expected * 1.01);
  CHECK(sent.allowed >= (2'000 + 1'000 * 1.9) * 0.99);
  CHECK(of.metric(R"(matchcloud_rate_limited_total{whose="address",cost="cheap"})") ==
        sent.limited.load());
}

TEST_CASE("addresses are limited one by one", "[operations][plain]") {
  const server of{{"--rate-limit-loopback", "--rate-limit-address-cheap", "5/3600"}};
  for (const std::string from : {"127.0.0.2", "127.0.0.3"}) {
    raw_connection client{of.data(), from};
    for (int i = 0; i < 5; ++i)
      CHECK(client.ask(request("GET", regions_target)).status == 200);
    CHECK(client.ask(request("GET", regions_target)).status == 429);
  }
}

TEST_CASE("a request over the limit is told when to come back, and by which policy",
          "[operations][plain]") {
  const server of{{"--rate-limit-loopback", "--rate-limit-address-cheap", "4/8"}};
  raw_connection client{of.data()};
  for (int i = 0; i < 4; ++i)
    CHECK(client.ask(request("GET", regions_target)).status == 200);
  const auto got = client.ask(request("GET", regions_target, {}, "Origin: https://a.example\r\n"));
  CHECK(got.status == 429);
  CHECK(got.problem_code() == "rate_limited");
  CHECK(got.header("retry-after") == "2");
  CHECK(got.header("ratelimit-policy") == R"("address-cheap";q=4;w=8)");
  CHECK(got.header("ratelimit") == R"("address-cheap";r=0;t=2)");
  CHECK(got.header("access-control-allow-origin") == "*");
  CHECK(got.header("connection").empty());
  const auto problem = parse_json(got.body);
  REQUIRE(problem["violated-policies"].IsArray());
  CHECK(std::string{problem["violated-policies"][0].GetString()} == "address-cheap");
  // It says so: two seconds later one request is let in again, after four another.
  const auto begun = std::chrono::steady_clock::now();
  CHECK(eventually([&] { return client.ask(request("GET", regions_target)).status == 200; }));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds{3'900});
}

TEST_CASE("what leads nowhere counts against the address, a missing token ten times",
          "[operations][plain]") {
  const auto left_after = [](const std::vector<std::string>& texts) {
    const server of{
        {"--auth", "required", "--rate-limit-loopback", "--rate-limit-address-cheap", "30/86400"}};
    raw_connection client{of.data()};
    for (const auto& each : texts)
      CHECK(client.ask(each).status != 429);
    int left = 0;
    while (client.ask(request("GET", regions_target)).status == 200)
      ++left;
    return left;
  };
  CHECK(left_after({}) == 30);
  CHECK(left_after({request("GET", "/nowhere"), request("GET", "/nowhere")}) == 28);
  CHECK(left_after({request("OPTIONS", regions_target)}) == 29);
  CHECK(left_after({request("DELETE", regions_target)}) == 29);
  CHECK(left_after({request("POST", groups_target, good_group)}) == 20);
  CHECK(left_after({request("POST", groups_target, good_group, bearer("mc_x"))}) == 20);
}

TEST_CASE("tokens are limited one by one, by their own limits where they have some",
          "[operations]") {
  world in;
  std::vector<made_token> tokens;
  {
    const server open{{}, in};
    tokens.push_back(create_token(open, "studio"));
    tokens.push_back(create_token(open, "studio"));
    tokens.push_back(create_token(open, "studio", R"(,"limits":{"cheap":"7/3600"})"));
    tokens.push_back(create_token(open, "studio", R"(,"limits":{"cheap":"off"})"));
  }
  const server of{{"--auth", "required", "--rate-limit-token-cheap", "3/3600"}, in};
  const std::vector<int> expected{3, 3, 7, 20};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    raw_connection client{of.data()};
    int allowed = 0;
    answer last;
    for (int n = 0; n < 20; ++n) {
      last = client.ask(request("POST", groups_target, good_group, bearer(tokens[i].text)));
      if (last.status == 200) ++allowed;
    }
    CHECK(allowed == expected[i]);
    if (i < 2) CHECK(last.header("ratelimit-policy") == R"("token-cheap";q=3;w=3600)");
  }
}

TEST_CASE("a player token counts from each address, also with a limit of its own", "[operations]") {
  world in;
  const std::string scope = R"(,"namespace_id":"00000000-0000-4000-8000-000000000011")";
  made_token shared;
  made_token limited;
  {
    const server open{{}, in};
    shared = create_token(open, "player", scope);
    limited = create_token(open, "player", scope + R"(,"limits":{"cheap":"3/3600"})");
  }
  const server of{{"--auth", "required", "--rate-limit-token-cheap", "3/3600"}, in};
  const auto allowed = [&](const made_token& token, const std::string& from) {
    raw_connection client{of.data(), from};
    int count = 0;
    for (int i = 0; i < 5; ++i)
      if (client.ask(request("GET", regions_target, {}, bearer(token.text))).status == 200) ++count;
    return count;
  };
  CHECK(allowed(shared, "127.0.0.2") == 3);
  CHECK(allowed(shared, "127.0.0.3") == 3);
  CHECK(allowed(limited, "127.0.0.2") == 3);
  CHECK(allowed(limited, "127.0.0.3") == 3);
}

TEST_CASE("trusted proxies are not limited, their clients are", "[operations]") {
  const server of{{"--rate-limit-loopback", "--rate-limit-address-cheap", "3/3600",
                   "--trusted-proxies", "127.0.0.1"}};
  raw_connection proxy{of.data()};
  const auto ask = [&](const std::string& header) {
    return proxy.ask(request("GET", regions_target, {}, header)).status;
  };
  for (int i = 0; i < 20; ++i)
    CHECK(ask("") == 200);
  for (const std::string client : {"192.0.2.1", "192.0.2.2"}) {
    for (int i = 0; i < 3; ++i)
      CHECK(ask("X-Forwarded-For: " + client + "\r\n") == 200);
    CHECK(ask("X-Forwarded-For: " + client + "\r\n") == 429);
  }
}

TEST_CASE("an IPv6 client is its prefix, and its /48 may ask sixteen times as much",
          "[operations]") {
  const server of{{"--rate-limit-address-cheap", "2/86400", "--trusted-proxies", "127.0.0.1"}};
  raw_connection proxy{of.data()};
  const auto ask = [&](const std::string& client) {
    return proxy.ask(request("GET", regions_target, {}, "X-Forwarded-For: " + client + "\r\n"))
        .status;
  };
  CHECK(ask("2001:db8:0:1::1") == 200);
  CHECK(ask("2001:db8:0:1::2") == 200);
  CHECK(ask("2001:db8:0:1:ffff::3") == 429);
  int allowed = 2;
  for (int i = 2; i < 40; ++i)
    for (int n = 0; n < 2; ++n)
      if (ask("2001:db8:0:" + std::to_string(i) + "::1") == 200) ++allowed;
  CHECK(allowed == 32);
  CHECK(ask("2001:db8:1::1") == 200);
}

TEST_CASE("connections of an address have a limit", "[operations][plain]") {
  const server of{{"--rate-limit-loopback", "--max-connections-per-address", "3", "--loops", "2"}};
  std::vector<std::unique_ptr<raw_connection>> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(std::make_unique<raw_connection>(of.data(), "127.0.0.2"));
    CHECK(held.back()->ask(request("GET", regions_target)).status == 200);
  }
  raw_connection refused{of.data(), "127.0.0.2"};
  CHECK(refused.try_receive()->status == 503);
  raw_connection other{of.data(), "127.0.0.3"};
  CHECK(other.ask(request("GET", regions_target)).status == 200);
  held.pop_back();
  CHECK(eventually([&] {
    raw_connection again{of.data(), "127.0.0.2"};
    return again.try_send(request("GET", regions_target)) && again.receive().status == 200;
  }));
}

TEST_CASE("where all entries are in debt, strangers share a limit", "[operations]") {
  const server of{{"--rate-limit-address-cheap", "8/86400", "--rate-limit-entries", "8",
                   "--trusted-proxies", "127.0.0.1"}};
  raw_connection proxy{of.data()};
  const auto ask = [&](int client) {
    return proxy
        .ask(request("GET", regions_target, {},
                     "X-Forwarded-For: 192.0.2." + std::to_string(client) + "\r\n"))
        .status;
  };
  for (int client = 1; client <= 8; ++client)
    CHECK(ask(client) == 200);
  int allowed = 0;
  for (int client = 9; client < 200; ++client)
    allowed += ask(client) == 200 ? 1 : 0;
  CHECK(allowed == 2); // a quarter of eight
  CHECK(of.metric("matchcloud_rate_limit_shared_total") == 191);
  CHECK(ask(1) == 200);
}

} // namespace
