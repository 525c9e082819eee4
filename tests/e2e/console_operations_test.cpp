// What the console requests from the ops plane, apart from what administration requests.
#include "model/text/timestamp.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/csv_reader.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace matchcloud::e2e;
namespace fixtures = matchcloud::fixtures;
namespace model = matchcloud::model;

const std::string game = "/v1/games/" + std::string{demo_game};

answer ask_console(const server& of, const std::string& method, const std::string& target,
                   std::string_view body = {}) {
  raw_connection client{of.ops()};
  auto text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!body.empty())
    text +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  return client.ask(text.append("\r\n").append(body));
}

answer get_console(const server& of, const std::string& target) {
  return ask_console(of, "GET", target);
}

TEST_CASE("the ops plane validates as the data plane does, without a game", "[operations]") {
  const auto& of = plain_server();
  const std::string payload = R"({"display_name":" x","config":{"matchmaker":{"max_playrs":1}}})";
  raw_connection data{of.data()};
  const auto there =
      data.ask(request("POST", versions_target, payload, "Content-Type: application/json\r\n"));
  const auto here = ask_console(of, "POST", "/v1/validate/version", payload);
  CHECK(here.status == 200);
  CHECK(here.body == there.body);
  CHECK(here.header("cache-control") == "no-store");
  CHECK(ask_console(of, "POST", "/v1/validate/lobby", payload).problem_code() == "route_not_found");
  CHECK(ask_console(of, "POST", "/v1/validate/game", "{").problem_code() == "body_malformed");
  // On the pool.
  const auto large = R"({"display_name":")" + std::string(100'000, 'x') + "\"}";
  CHECK(findings(ask_console(of, "POST", "/v1/validate/group", large).body).size() == 1);
}

TEST_CASE("the schema of a payload has the names of the catalog", "[operations]") {
  const auto got = get_console(plain_server("loops"), "/v1/schema/version");
  CHECK(got.status == 200);
  CHECK(text_at(parse_json(got.body), "$id") == "urn:matchcloud:schema:version");
  CHECK(got.body.find("basic-1d16") != std::string::npos);
}

TEST_CASE("a ranking has the bytes that a client of the address gets", "[operations]") {
  const auto& of = located_server();
  raw_connection data{of.data()};
  const auto listing =
      data.ask(request("GET", regions_target, "", "X-Forwarded-For: 198.51.100.7\r\n")).body;
  const auto got = get_console(of, "/v1/ranking?address=198.51.100.7");
  CHECK(got.status == 200);
  CHECK(got.body.ends_with(R"(,"listing":)" + listing + "}"));
  CHECK(text_at(parse_json(got.body), "source") == "address");
  const auto placed = get_console(of, "/v1/ranking?latitude=-33.9&longitude=18.4");
  CHECK(text_at(parse_json(placed.body)["listing"]["regions"][0], "region_id") == "jnb");
  CHECK(text_at(parse_json(get_console(of, "/v1/ranking?address=10.0.0.1").body), "source") ==
        "unknown");
  for (const std::string query : {"", "?address=", "?address=lon", "?latitude=1",
                                  "?latitude=91&"
                                  "longitude=0",
                                  "?latitude=0&longitude=nan", "?address=10.0.0.1&namespace_id=7"})
    CHECK(get_console(of, "/v1/ranking" + query).problem_code() == "query_invalid");
}

TEST_CASE("places are counted unless that is switched off", "[operations]") {
  const auto& of = located_server();
  raw_connection data{of.data()};
  data.ask(request("GET", regions_target, "", "X-Forwarded-For: 198.51.100.7\r\n"));
  const auto places = parse_json(get_console(of, "/v1/places").body);
  CHECK(places["enabled"].GetBool());
  CHECK(places["cells"].Size() > 0);
  const server without{{"--count-places=false"}};
  CHECK_FALSE(parse_json(get_console(without, "/v1/places").body)["enabled"].GetBool());
}

TEST_CASE("avatars and images are there for operators", "[operations]") {
  const auto& of = plain_server("loops");
  raw_connection data{of.data()};
  const auto there =
      data.ask(request("GET", "/cloud/games/" + std::string{demo_game} + "/avatars"));
  const auto here = get_console(of, game + "/avatars");
  CHECK(here.status == 200);
  CHECK(here.body == there.body);
  const auto list = parse_json(here.body);
  std::string url;
  for (const auto& each : list["custom_avatars"].GetArray())
    if (each.HasMember("url")) url = each["url"].GetString();
  const auto image = get_console(of, "/v1/images/" + url.substr(url.find("/avatars/") + 9));
  CHECK(image.status == 200);
  CHECK(image.header("content-type") == "image/png");
  CHECK(image.header("cache-control") == "no-store");
}

TEST_CASE("a survey of lobbies counts those of a span", "[operations]") {
  const auto& of = plain_server("loops");
  const auto got =
      get_console(of, game + "/lobbies?start=1767225600000&end=1769904000000&buckets=31");
  CHECK(got.status == 200);
  const auto survey = parse_json(got.body);
  int started = 0;
  for (const auto& each : survey["started"].GetArray())
    started += each.GetInt();
  CHECK(started == 10'000); // all of the demo data
  CHECK_FALSE(survey["is_partial"].GetBool());
  const auto running = parse_json(get_console(of, game + "/lobbies/running?limit=1000").body);
  CHECK(static_cast<int>(running["lobbies"].Size()) == survey["running_now"].GetInt());
  CHECK(get_console(of, game + "/lobbies").problem_code() == "query_invalid");
  CHECK(get_console(of, game + "/lobbies/running?limit=0").problem_code() == "query_invalid");
  CHECK(get_console(of, game + "/lobbies?start=0&end=1&version=1.4").problem_code() ==
        "query_invalid");
  const std::string nobodys = "/v1/games/00000000-0000-4000-8000-0000000000ff";
  CHECK(get_console(of, nobodys + "/lobbies?start=0&end=1").problem_code() == "game_not_found");
}

/// The rows of an export of January by the ops plane, without the header.
std::vector<fixtures::csv_record> exported_january(const server& of) {
  const auto made = ask_console(of, "POST", game + "/exports",
                                R"({"query_start":1767225600000,"query_end":1769904000000})");
  REQUIRE(made.status == 200);
  auto rows = fixtures::read_csv(get_console(of, text_at(parse_json(made.body), "url")).body);
  REQUIRE(rows);
  rows->erase(rows->begin());
  return *std::move(rows);
}

/// The most of an export's lobbies that ran at once, and when first.
std::pair<int, std::int64_t> peak_of(const std::vector<fixtures::csv_record>& rows) {
  constexpr std::int64_t begin = 1'767'225'600'000;
  constexpr std::int64_t end = 1'769'904'000'000;
  std::map<std::int64_t, int> changes;
  for (const auto& row : rows) {
    ++changes[std::max(begin, *model::parse_timestamp(row.at(9)))];
    if (!row.at(10).empty()) --changes[*model::parse_timestamp(row.at(10))];
  }
  std::pair<int, std::int64_t> peak{0, 0};
  int running = 0;
  for (const auto& [at, change] : changes)
    if (running += change; at < end && running > peak.first) peak = {running, at};
  return peak;
}

TEST_CASE("the peak of a survey is that of its export, with and without filters", "[operations]") {
  const auto& of = plain_server("loops");
  const auto rows = exported_january(of);
  struct filtered {
    std::string query;
    std::vector<std::pair<std::size_t, std::string>> columns;
  };
  const std::string version = "00000000-0000-4000-8000-000000000203";
  for (const auto& [query, columns] :
       {filtered{"", {}}, filtered{"&region=lon", {{3, "lon"}}},
        filtered{"&tier=basic-1d1&mode=duel", {{5, "basic-1d1"}, {8, "duel"}}},
        filtered{"&version=" + version, {{6, version}}},
        filtered{"&mode=battle%2Droyale", {{8, "battle-royale"}}}}) {
    CAPTURE(query);
    auto chosen = rows;
    std::erase_if(chosen, [&, &wanted = columns](const auto& row) {
      return std::ranges::any_of(
          wanted, [&](const auto& each) { return row.at(each.first) != each.second; });
    });
    REQUIRE_FALSE(chosen.empty());
    const auto survey = parse_json(
        get_console(of, game + "/lobbies?start=1767225600000&end=1769904000000&buckets=31" + query)
            .body);
    const auto [running, at] = peak_of(chosen);
    CHECK(survey["peak"]["running"].GetInt() == running);
    CHECK(survey["peak"]["at"].GetInt64() == at);
    for (const auto& each : survey["running"].GetArray())
      CHECK(each.GetInt() <= running);
    const auto still = std::ranges::count_if(chosen, [](auto& row) { return row.at(10).empty(); });
    CHECK(survey["running_now"].GetInt() == still);
    const auto listed =
        parse_json(get_console(of, game + "/lobbies/running?limit=1000" + query).body);
    CHECK(listed["lobbies"].Size() == static_cast<std::size_t>(still));
  }
}

TEST_CASE("a lobby has what its row of an export has", "[operations]") {
  const auto& of = plain_server("loops");
  const auto rows = exported_january(of);
  const auto names =
      std::array{"lobby_id", "namespace_id", "namespace_name", "region_id", "region_name",
                 "tier",     "version_id",   "version_name",   "game_mode", "start_ts"};
  bool has_running = false;
  for (std::size_t at = 0; at < rows.size() && !has_running; ++at) {
    if (at % 1'000 != 0 && !rows[at][10].empty()) continue;
    const auto got = get_console(of, game + "/lobbies/" + rows[at][0]);
    REQUIRE(got.status == 200);
    const auto lobby = parse_json(got.body);
    for (std::size_t i = 0; i < names.size(); ++i)
      CHECK(text_at(lobby, names[i]) == rows[at][i]);
    has_running = rows[at][10].empty();
    if (has_running) {
      CHECK(lobby["stop_ts"].IsNull());
      CHECK(lobby["total_uptime_ms"].GetInt64() > 0);
    } else {
      CHECK(text_at(lobby, "stop_ts") == rows[at][10]);
      CHECK(std::to_string(lobby["total_uptime_ms"].GetInt64()) == rows[at][11]);
    }
  }
  CHECK(has_running);
  const std::string nobody = "00000000-0000-4000-8000-0000000000ff";
  for (const auto& id : {nobody, std::string{"!"}, std::string{"runnin"}}) {
    const auto got = get_console(of, game + "/lobbies/" + id);
    CHECK(got.status == 404);
    CHECK(got.problem_code() == "lobby_unknown");
  }
  CHECK(get_console(of, "/v1/games/" + nobody + "/lobbies/" + rows[0][0]).problem_code() ==
        "game_not_found");
}

TEST_CASE("an operator's export has a link of this plane for a minute", "[operations]") {
  const auto& of = plain_server();
  const auto made = ask_console(of, "POST", game + "/exports",
                                R"({"query_start":1767312000000,"query_end":1767398400000})");
  CHECK(made.status == 200);
  const auto url = text_at(parse_json(made.body), "url");
  REQUIRE(url.starts_with("/exports/"));
  const auto expires = std::stoll(url.substr(url.find("expires=") + 8));
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  CHECK(expires <= now + 60);
  CHECK(expires > now + 30);
  const auto file = get_console(of, url);
  REQUIRE(file.status == 200);
  CHECK(std::count(file.body.begin(), file.body.end(), '\n') == 348);
  // The same file, by the data plane.
  raw_connection data{of.data()};
  CHECK(data.ask(request("GET", url)).body == file.body);
  const auto listed = parse_json(get_console(of, "/v1/exports").body);
  REQUIRE(listed["exports"].Size() >= 1);
  CHECK(text_at(listed["exports"][0], "state") == "complete");
  CHECK(listed["exports"][0]["rows"].GetInt() == 347);
}

TEST_CASE("traced requests show the actors that they came by", "[operations]") {
  const server of{{"--trace-one-in", "1"}};
  raw_connection data{of.data()};
  data.ask(request("GET", regions_target));
  data.ask(request("GET", "/ping"));
  data.ask(request("GET", "/cloud/games/" + std::string{demo_game} + "/avatars"));
  const auto report = parse_json(get_console(of, "/v1/traces").body);
  CHECK(report["one_in"].GetInt() == 1);
  REQUIRE(report["traces"].Size() == 3);
  CHECK(text_at(report["traces"][0], "operation") == "list_avatars");
  std::set<std::string> places;
  for (const auto& step : report["traces"][0]["steps"].GetArray())
    places.insert(text_at(step, "place"));
  places.erase("sending"); // which may take no time
  CHECK(places == std::set<std::string>{"front", "avatar", "store"});
  CHECK(text_at(report["traces"][1], "operation") == "ping");
  CHECK(report["traces"][1]["status"].GetInt() == 204);
}

} // namespace
