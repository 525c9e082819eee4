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

TEST_CASE("requests that lead nowhere count against the address, one without a token ten times",
          "[operations][plain]") {
  const server of{
      {"--auth", "required", "--rate-limit-loopback", "--rate-limit-address-cheap", "30/86400"}};
  raw_connection client{of.data()};
  for (const auto& each :
       {request("GET", "/nowhere"), request("OPTIONS", regions_target),
        request("DELETE", regions_target), request("POST", groups_target, good_group)})
    CHECK(client.ask(each).status != 429);
  int left = 0;
  while (client.ask(request("GET", regions_target)).status == 200)
    ++left;
  CHECK(left == 30 - 1 - 1 - 1 - 10);
}

} // namespace
