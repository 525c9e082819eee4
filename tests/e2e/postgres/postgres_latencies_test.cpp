// Processes on a store in PostgreSQL learn latencies together, also after they were cut off.
#include "tests/catch.hpp"
#include "tests/fixtures/servers/cuttable_proxy.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/latency_players.hpp"

#include <cmath>
#include <csignal>
#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;

/// Three times as many are as many as a place keeps, but one.
constexpr int networks = 5;

/// A look at the store every two seconds on each side, the news, and the fit ten seconds later.
constexpr milliseconds agreement{40'000};

void report_from_london(const server& to, int first_network, std::string_view latencies) {
  for (int network = first_network; network < first_network + networks; ++network)
    CHECK(report(to, player_in(network), latencies).status == 200);
}

/// Whether both predict the same for a player whom neither has heard of.
bool agree(const server& one, const server& other) {
  for (const std::string region : {"fra", "lon", "nrt", "syd"}) {
    const auto here = predict(one, player_in(9'999), region);
    const auto there = predict(other, player_in(9'999), region);
    // Rounded to a tenth each.
    if (!here || !there || std::abs(here->ms - there->ms) > 0.15) return false;
    if (here->source != there->source || here->reports != there->reports) return false;
  }
  return true;
}

struct learning_replicas {
  fixtures::postgres_server postgres;
  std::string direct = postgres.new_database();
  fixtures::cuttable_proxy proxy{fixtures::socket_path{postgres.socket_path()}};
  world of{store_url{direct}};
  server first{flags(), of};
  server second{flags({"--store", fixtures::through(direct, proxy.where()),
                       "--store-statement-timeout-ms", "1000"}),
                of};

  arguments flags(arguments more = {}) const {
    arguments all{"--geoip", of.geoip(), "--trusted-proxies", "127.0.0.1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_CASE("what one process learns the other predicts within seconds", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const learning_replicas both;
  report_from_london(both.first, 1, london_latencies);
  CHECK(eventually([&] { return knows(both.second, networks); }));
  CHECK(eventually([&] { return agree(both.first, both.second); }, deadline{agreement}));
  // Both report at once, of the same and of other regions.
  report_from_london(both.second, 101, R"({"latencies":{"fra":9,"syd":290}})");
  report_from_london(both.first, 201, R"({"latencies":{"lon":20,"syd":290}})");
  CHECK(eventually([&] { return knows(both.first, 2 * networks); }));
  CHECK(eventually([&] { return agree(both.first, both.second); }, deadline{agreement}));
}

TEST_CASE("a process that is cut off from the store learns for itself, and agrees afterwards",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  learning_replicas both;
  report_from_london(both.first, 1, london_latencies);
  REQUIRE(eventually([&] { return knows(both.second, networks); }));
  const auto failures = [&] {
    return both.second.metric("matchcloud_latency_keep_failures_total");
  };
  both.proxy.stall();
  REQUIRE(eventually([&] { return failures() > 0; }, deadline{agreement}));
  report_from_london(both.second, 101, london_latencies);
  report_from_london(both.first, 201, london_latencies);
  // Each knows what it was told itself, and not what the other one was.
  CHECK(eventually([&] { return knows(both.second, 2 * networks); }));
  CHECK(eventually([&] { return knows(both.first, 2 * networks); }));
  CHECK_FALSE(knows(both.first, 3 * networks));
  CHECK_FALSE(knows(both.second, 3 * networks));
  CHECK(both.second.metric("matchcloud_latency_unkept_entries") > 0);

  both.proxy.resume();
  CHECK(eventually([&] { return knows(both.first, 3 * networks); }, deadline{agreement}));
  CHECK(eventually([&] { return knows(both.second, 3 * networks); }, deadline{agreement}));
  CHECK(eventually([&] { return agree(both.first, both.second); }, deadline{agreement}));
  CHECK(both.second.metric("matchcloud_actor_restarts_total") == 0);
}

TEST_CASE("a process that is killed loses at most what was not kept", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  learning_replicas both;
  report_from_london(both.second, 1, london_latencies);
  REQUIRE(eventually([&] { return knows(both.first, networks); }));
  both.second.process().signal(SIGKILL);
  REQUIRE(both.second.process().exit_code());
  CHECK(knows(both.first, networks));
  const server third{both.flags(), both.of};
  CHECK(eventually([&] { return knows(third, networks); }));
  CHECK(eventually([&] { return agree(both.first, third); }, deadline{agreement}));
}

} // namespace
