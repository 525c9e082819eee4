// What the console requests from the ops plane, apart from what administration requests.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

namespace {

using namespace matchcloud::e2e;

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
  // On the pool.
  const auto large = R"({"display_name":")" + std::string(100'000, 'x') + "\"}";
  CHECK(findings(ask_console(of, "POST", "/v1/validate/group", large).body).size() == 1);
  // Its schema has the names of the catalog.
  const auto schema = get_console(of, "/v1/schema/version").body;
  CHECK(text_at(parse_json(schema), "$id") == "urn:matchcloud:schema:version");
  CHECK(schema.find("basic-1d16") != std::string::npos);
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
  for (const std::string query : {"", "?address=lon", "?latitude=1", "?latitude=91&longitude=0",
                                  "?address=10.0.0.1&namespace_id=7"})
    CHECK(get_console(of, "/v1/ranking" + query).problem_code() == "query_invalid");
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
  // A lobby of the list is found by its id.
  const auto id = text_at(running["lobbies"][0], "lobby_id");
  const auto lobby = parse_json(get_console(of, game + "/lobbies/" + id).body);
  CHECK(text_at(lobby, "lobby_id") == id);
  CHECK(lobby["stop_ts"].IsNull());
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
