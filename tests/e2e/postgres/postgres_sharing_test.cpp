// Processes on one PostgreSQL store learn latencies together, and lose together what one erases.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/fixtures/servers/cuttable_proxy.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/latency_players.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/server.hpp"

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

TEST_CASE("latencies that one process learns are predicted by the other within seconds",
          "[.postgres]") {
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

// -- kept data ---------------------------------------------------------------

const std::string game{demo_game};
const std::string upload = "10000000-0000-4000-8000-000000000001";

/// The documented limit for changes by others.
constexpr milliseconds erased_soon{1'000};

struct two_replicas {
  fixtures::postgres_server postgres;
  world of{store_url{postgres.new_database()}};
  server first{{}, of};
  server second{{}, of};
};

answer ask_kept(const address& of, std::string_view method, const std::string& target,
                std::string_view body = {}, std::string_view headers = {}) {
  raw_connection client{of};
  return client.ask(request(method, target, body, headers));
}

/// Imports an avatar of the demo's game; returns the path of its image, once `of` lists it.
std::string import_avatar(const world& into, const server& of) {
  into.directory().file("image.png", fixtures::small_png());
  const auto line = R"({"game_id":")" + game + R"(","upload_id":")" + upload +
                    R"(","display_name":"A","create_ts":1,"content_length":1,)" +
                    R"("complete":true,"file":"image.png"})" + "\n";
  const auto done = run({"import", "avatars", "--data-dir", into.data_dir(),
                         into.directory().file("avatars.jsonl", line)});
  CAPTURE(done.errors);
  REQUIRE(done.exit_code == 0);
  std::string path;
  REQUIRE(eventually([&] {
    const auto list = ask_kept(of.data(), "GET", "/cloud/games/" + game + "/avatars").body;
    const auto at = list.find("/media/avatars/" + upload);
    if (at != list.npos) path = list.substr(at, list.find('"', at) - at);
    return at != list.npos;
  }));
  return path;
}

bool is_gone(const server& from, const std::string& target) {
  return ask_kept(from.data(), "GET", target).status == 404;
}

std::string export_target(const server& from) {
  const auto made =
      ask_kept(from.data(), "POST", "/cloud/games/" + game + "/matchmaker/lobbies/export-history",
               R"({"query_start":0,"query_end":5000})");
  CAPTURE(made.body);
  REQUIRE(made.status == 200);
  const auto url = text_at(parse_json(made.body), "url");
  return url.substr(url.find("/exports/"));
}

rapidjson::Document erasures_of(const server& from) {
  return parse_json(ask_kept(from.ops(), "GET", "/v1/erasures").body);
}

TEST_CASE("an avatar that one process removes has no image at another within a second",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const two_replicas on;
  const auto image = import_avatar(on.of, on.second);
  CHECK_FALSE(is_gone(on.first, image));
  CHECK_FALSE(is_gone(on.second, image));
  CHECK(ask_kept(on.first.ops(), "DELETE", "/v1/games/" + game + "/avatars/" + upload).status ==
        204);
  CHECK(is_gone(on.first, image));
  CHECK(eventually([&] { return is_gone(on.second, image); }, deadline{erased_soon}));
}

TEST_CASE("a game that one process erases cannot be downloaded from another, and is erased once "
          "even if the one dies",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  two_replicas on;
  const auto lines = lobby_lines(5'000);
  REQUIRE(ask_kept(on.first.ops(), "POST", "/v1/lobbies", lines,
                   "Content-Type: application/x-ndjson\r\n")
              .status == 200);
  const auto target = export_target(on.second);
  CHECK_FALSE(is_gone(on.second, target));
  CHECK(ask_kept(on.first.ops(), "DELETE", "/v1/games/" + game + "/everything").status == 200);
  CHECK(is_gone(on.second, target));
  // The other process may still know the game; a report to it changes nothing.
  ask_kept(on.second.ops(), "POST", "/v1/lobbies", lobby_line(9'999),
           "Content-Type: application/x-ndjson\r\n");
  on.first.process().signal(SIGKILL);
  CHECK(on.first.process().exit_code());
  REQUIRE(eventually([&] {
    const auto all = erasures_of(on.second);
    return all["erasures"].Size() == 1 && all["erasures"][0]["finished"].IsString();
  }));
  CHECK(erasures_of(on.second)["erasures"][0]["lobbies"].GetInt() >= 5'000);
  fixtures::postgres_session session{on.of.store().text};
  CHECK(session.value("SELECT count(*) FROM matchcloud.lobbies") == "0");
  CHECK(session.value("SELECT count(*) FROM matchcloud.lobby_kinds") == "0");
  CHECK(session
            .value("SELECT string_agg(name, '') FROM matchcloud.namespaces WHERE game_id = '" +
                   game + "'")
            .empty());
}

} // namespace
