// Latencies that players report: learned, shown, ranked by, and kept over a restart.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/latency_players.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tokens.hpp"

#include <csignal>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;

constexpr int networks = 12;

/// What is learned is taken to a store in the data directory every ten seconds.
constexpr milliseconds kept_by{60'000};

arguments located(const world& in, arguments more = {}) {
  arguments flags{"--geoip", in.geoip(), "--trusted-proxies", "127.0.0.1", "--loops", "2"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

/// Each player is alone in a network.
void report_from_london(const server& to) {
  for (int network = 1; network <= networks; ++network) {
    const auto said = report(to, player_in(network));
    CHECK(said.status == 200);
    CHECK(said.body == R"({"taken":true,"unknown":[]})");
  }
}

std::vector<std::string> order_at(const server& at, const std::string& player,
                                  const std::string& query = {}) {
  std::vector<std::string> ids;
  const auto listed = parse_json(list(at, player, query).body);
  REQUIRE(listed.IsObject());
  for (const auto& region : listed["regions"].GetArray())
    ids.push_back(text_at(region, "region_id"));
  return ids;
}

double learned(const server& by) {
  return by.metric("matchcloud_latency_reports_total{outcome=\"learned\"}");
}

TEST_CASE("latencies that players report are predicted for others of their place", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const world of;
  const server at{located(of, {"--transport", transport}), of};
  const auto before = predict(at, player_in(9'999), "fra");
  REQUIRE(before);
  CHECK(before->source == "distance");
  CHECK(before->reports == 0);
  report_from_london(at);
  CHECK(eventually([&] { return knows(at, networks - 2); }));
  CHECK(predict(at, player_in(9'999), "fra")->ms < predict(at, player_in(9'999), "lon")->ms);
  // What a single player of a network reported is not shown; a place without reports asks its
  // neighbours.
  CHECK(predict(at, player_in(3), "fra")->source == "place");
  CHECK(predict(at, "X-Forwarded-For: 198.51.100.1\r\n", "fra")->source != "place");
  CHECK(learned(at) == networks);
  CHECK(at.metric("matchcloud_latency_entries") > networks);
}

TEST_CASE("by latency, the fastest region is listed first", "[operations][shipped]") {
  const world of;
  const server near{located(of), of};
  const server fast{located(of, {"--rank-by", "latency"}), of};
  for (const auto* at : {&near, &fast}) {
    report_from_london(*at);
    REQUIRE(eventually([&] { return knows(*at, networks - 2); }));
  }
  const auto by_distance = order_at(near, player_in(9'999));
  CHECK(by_distance.front() == "lon");
  // The actors that rank learn a moment later than the operation that shows what is known.
  CHECK(eventually([&] { return order_at(fast, player_in(9'999)).front() == "fra"; }));
  CHECK(order_at(fast, player_in(3)).front() == "fra");
  // What the client measured itself comes first either way.
  CHECK(order_at(fast, player_in(9'999), "?rtt=syd:250,lon:290").front() == "syd");
  CHECK(order_at(near, player_in(9'999), "?rtt=syd:250,lon:290").front() == "syd");
}

TEST_CASE("a restart knows what was reported before it", "[operations]") {
  const world of;
  predicted before;
  {
    server at{located(of), of};
    report_from_london(at);
    REQUIRE(eventually([&] { return knows(at, networks - 2); }));
    REQUIRE(eventually([&] { return at.metric("matchcloud_latency_unkept_entries") == 0; },
                       deadline{kept_by}));
    before = *predict(at, player_in(9'999), "fra");
    at.process().signal(SIGKILL);
    REQUIRE(at.process().exit_code());
  }
  // Its very first listing is ordered by them.
  const server fast{located(of, {"--rank-by", "latency"}), of};
  CHECK(order_at(fast, player_in(9'999)).front() == "fra");
  const server after{located(of), of};
  CHECK(knows(after, networks - 2));
  const auto now = *predict(after, player_in(9'999), "fra");
  CHECK(now.ms == Approx(before.ms).epsilon(0.05));
  CHECK(now.reports == before.reports);
  // What one player of a network reported was never written down.
  CHECK(predict(after, player_in(3), "fra")->source == "place");
}

} // namespace
