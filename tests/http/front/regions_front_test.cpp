#include "actors/latency_map/report_gate.hpp"

#include "http/front/front.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/http/front/front_fixture.hpp"

#include <map>
#include <memory>
#include <string>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using base::owner;
using measured = std::vector<model::measured_latency>;

struct latencies_front_bench : front_bench {
  manual_clock clock;

  /// Has listings be learned from.
  void learn_from_listings() {
    settings->latency_gate = std::make_shared<actors::report_gate>(60s, std::size_t{64}, clock);
  }
  actors::report_gate& gate() { return *settings->latency_gate; }

  exchange_ref report(std::string body, std::string content_type = "application/json") {
    auto request = make("POST", "/matchmaker/latencies");
    request->body = std::move(body);
    if (!content_type.empty()) request->set(header::content_type, std::move(content_type));
    return send(request);
  }
  std::string problem() { return std::string{answer().body_bytes()}; }
};

// -- reports ------------------------------------------------------------------

TEST_CASE("a report goes to the latency_map with the client's address") {
  latencies_front_bench on;
  on.settings->proxies.trusted_proxies = {*model::parse_cidr("192.0.2.1")};
  on.start();
  auto request = latencies_front_bench::make("POST", "/matchmaker/latencies");
  request->body = R"({"latencies": {"lon": 23.1, "fra": 31}})";
  request->set(header::x_forwarded_for, "198.51.100.7");
  const auto ref = on.send(request);
  REQUIRE(on.latency_log->latency_reports.size() == 1);
  const auto& got = on.latency_log->latency_reports[0];
  CHECK(got.exchange == ref);
  CHECK(to_string(got.client) == "198.51.100.7");
  CHECK(got.measured == measured{{"fra", 31}, {"lon", 23.1}});
  REQUIRE(got.ticket);
  CHECK(on.sink.routes[ref.exchange] == std::pair{operation::report_latencies, owner::latency_map});

  const auto json = std::make_shared<const std::string>(R"({"taken":true,"unknown":[]})");
  caf::anon_send(on.front, actors::json_made{ref, json});
  on.run();
  CHECK(on.status() == 200);
  CHECK(on.answer().content_type == json_type);
  CHECK(on.answer().body_bytes() == *json);
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
}

TEST_CASE("malformed reports are refused with advice") {
  latencies_front_bench on;
  on.start();
  for (const auto& [body, parts] : std::map<std::string, std::vector<std::string>>{
           {R"({})", {"query_invalid", "`latencies` is required"}},
           {R"({"latencies": {}})", {"query_invalid", "`latencies` is empty"}},
           {R"({"latencies": [1]})", {"query_invalid", "`latencies` must be an object"}},
           {R"({"latencies": {"lon": "23"}})", {"query_invalid", "`lon`", "number"}},
           {R"({"latencies": {"lon": -1}})", {"query_invalid", "`lon`", "0 to 60000"}},
           {R"({"latencies": {"lon": 60001}})", {"query_invalid", "`lon`", "0 to 60000"}},
           {R"({"latencies": {"lon": 1e999}})", {"query_invalid", "`lon`"}},
           {R"({"latencies": {"LON": 1}})", {"query_invalid", "`LON`"}},
           {R"({"latencies": {"lon": 1, "lon": 2}})", {"query_invalid", "`lon`", "twice"}},
           {R"({"latencies": {"lon": 1}, "latency": 1})", {"query_invalid", "`latency`"}},
           {R"({"latencies": )", {"body_malformed"}},
           {R"([])", {}}}) {
    CAPTURE(body);
    const auto ref = on.report(body);
    CHECK(on.status() == 400);
    for (const auto& part : parts)
      CHECK(contains(on.problem(), part));
    CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::report_latencies, owner::none});
  }
  CHECK(on.latency_log->latency_reports.empty());
}

TEST_CASE("all that is wrong with a report is said at once") {
  latencies_front_bench on;
  on.start();
  on.report(R"({"latencies": {"LON": 1, "fra": -1, "nrt": true}, "more": 1})");
  for (const std::string part : {"`LON`", "`fra`", "`nrt`", "`more`"})
    CHECK(contains(on.problem(), part));
}

TEST_CASE("the number of regions in a report is limited") {
  latencies_front_bench on;
  on.start();
  const auto with = [](std::size_t count) {
    std::string body = R"({"latencies": {)";
    for (std::size_t i = 0; i < count; ++i)
      body += (i == 0 ? "" : ",") + ("\"r" + std::to_string(i)) + "\":1";
    return body + "}}";
  };
  on.report(with(model::measured_limit));
  REQUIRE(on.latency_log->latency_reports.size() == 1);
  CHECK(on.latency_log->latency_reports[0].measured.size() == model::measured_limit);
  on.report(with(model::measured_limit + 1));
  CHECK(on.status() == 400);
  CHECK(contains(on.problem(), "256"));
}

TEST_CASE("a report is JSON of at most 16 KiB, by POST") {
  latencies_front_bench on;
  on.start();
  on.report("{}", "text/plain");
  CHECK(on.status() == 415);
  on.report(std::string(16 * 1'024 + 1, ' '));
  CHECK(on.status() == 413);
  on.send("GET", "/matchmaker/latencies");
  CHECK(on.status() == 405);
  CHECK(on.says("Allow: POST, OPTIONS\r\n"));
  on.sink.full = true;
  on.report(R"({"latencies": {"lon": 23.1}})");
  CHECK(on.status() == 503);
  CHECK(on.latency_log->latency_reports.empty());
}

// -- listings that are learned from -------------------------------------------

TEST_CASE("latencies of a listing are no report unless listings are learned from") {
  latencies_front_bench on;
  on.start();
  on.send("GET", "/matchmaker/regions?rtt=lon:23");
  CHECK(on.ranking_log->rankings.size() == 1);
  CHECK(on.latency_log->latencies_heard.empty());
}

TEST_CASE("a listing's latencies are reported once per client and interval") {
  latencies_front_bench on;
  on.learn_from_listings();
  on.start();
  on.send("GET", "/matchmaker/regions?rtt=lon:23,fra:31");
  REQUIRE(on.latency_log->latencies_heard.size() == 1);
  CHECK(on.latency_log->latencies_heard[0].client == address_of(1));
  CHECK(on.latency_log->latencies_heard[0].measured == measured{{"fra", 31}, {"lon", 23}});
  CHECK(on.gate().waiting() == 1);
  CHECK(on.ranking_log->rankings.back().measured.size() == 2);
  on.send("GET", "/matchmaker/regions?rtt=lon:23");
  CHECK(on.latency_log->latencies_heard.size() == 1);
  CHECK(on.ranking_log->rankings.size() == 2);
  on.clock.advance(60s);
  on.send("GET", "/matchmaker/regions?rtt=lon:23");
  CHECK(on.latency_log->latencies_heard.size() == 2);
  // Without latencies, or with such as are refused, nothing is reported.
  on.clock.advance(60s);
  on.send("GET", "/matchmaker/regions");
  on.send("GET", "/matchmaker/regions?rtt=");
  on.send("GET", "/matchmaker/regions?rtt=LON:1");
  CHECK(on.latency_log->latencies_heard.size() == 2);
  CHECK(on.gate().takes(address_of(1)));
}

TEST_CASE("listings are answered however many reports wait") {
  latencies_front_bench on;
  on.learn_from_listings();
  on.start();
  while (on.gate().enter()) {
  }
  on.send("GET", "/matchmaker/regions?rtt=lon:23");
  CHECK(on.ranking_log->rankings.size() == 1);
  CHECK(on.latency_log->latencies_heard.empty());
  CHECK(on.gate().waiting() == actors::report_gate::waiting_limit);
}

TEST_CASE("while the latency_map is restarted, no listing waits for it") {
  latencies_front_bench on;
  on.learn_from_listings();
  on.start();
  on.at(owner::latency_map) = nullptr;
  on.tell();
  on.send("GET", "/matchmaker/regions?rtt=lon:23");
  CHECK(on.ranking_log->rankings.size() == 1);
  CHECK(on.gate().waiting() == 0);
}

// -- details ------------------------------------------------------------------

TEST_CASE("a listing is asked for with the details that the query names") {
  latencies_front_bench on;
  on.start();
  const auto asked = [&](const std::string& query) {
    on.send("GET", "/matchmaker/regions" + query);
    return on.ranking_log->rankings.back().details;
  };
  CHECK_FALSE(asked("").any());
  CHECK_FALSE(asked("?explain=false").any());
  CHECK_FALSE(asked("?Fields=latency").any());
  CHECK(asked("?fields=latency").latency);
  CHECK_FALSE(asked("?fields=latency").ping_url);
  CHECK(asked("?fields=ping_url").ping_url);
  const auto all = asked("?explain=true&fields=ping_url%2Clatency&rtt=lon:23");
  CHECK(all.latency);
  CHECK(all.ping_url);
  CHECK(all.explain);
  CHECK(on.ranking_log->rankings.back().measured.size() == 1);
  const auto json = std::make_shared<const std::string>(R"({"regions":[]})");
  caf::anon_send(on.front, actors::regions_ranked{{on.last, 1}, nullptr, nullptr, json});
  on.run();
  CHECK(on.status() == 200);
  CHECK(on.answer().body_bytes() == *json);
  CHECK(on.says("ETag: "));
}

TEST_CASE("details that do not exist are refused with those that do") {
  latencies_front_bench on;
  on.start();
  for (const auto& [query, part] :
       std::map<std::string, std::string>{{"fields=", "fields is empty"},
                                          {"fields=speed", "`speed`"},
                                          {"fields=latency,,ping_url", "latency, ping_url or both"},
                                          {"fields=latency,Ping_url", "`Ping_url`"},
                                          {"fields=latency&fields=ping_url", "twice"},
                                          {"explain=true&explain=true", "twice"},
                                          {"explain=1", "true or false"},
                                          {"explain=", "true or false"}}) {
    CAPTURE(query);
    const auto ref = on.send("GET", "/matchmaker/regions?" + query);
    CHECK(on.status() == 400);
    CHECK(on.has_code("query_invalid"));
    CHECK(contains(on.problem(), part));
    CHECK(on.says(any_origin_headers));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::list_regions, owner::none});
  }
  CHECK(on.ranking_log->rankings.empty());
}

TEST_CASE("an explanation names what the address comes from") {
  latencies_front_bench on;
  on.settings->proxies.trusted_proxies = {*model::parse_cidr("192.0.2.1")};
  on.start();
  const auto from = [&](header which, std::string value) {
    auto request = latencies_front_bench::make("GET", "/matchmaker/regions?explain=true");
    if (!value.empty()) request->set(which, std::move(value));
    on.send(request);
    return on.ranking_log->rankings.back().client_from;
  };
  CHECK(from(header::x_forwarded_for, "") == "connection");
  CHECK(from(header::x_forwarded_for, "198.51.100.7") == "X-Forwarded-For");
  CHECK(from(header::forwarded, "for=198.51.100.7") == "Forwarded");
  // Nobody asks.
  on.send("GET", "/matchmaker/regions");
  CHECK(on.ranking_log->rankings.back().client_from.empty());
}

const std::string target = "/matchmaker/regions/group";

std::shared_ptr<admitted_request> asking_group(std::string body) {
  auto request = front_bench::make("POST", target);
  request->set(header::content_type, "application/json"); // pages have to say so
  request->body = std::move(body);
  return request;
}

TEST_CASE("a group goes to the ranking, with its origin's host") {
  front_bench on;
  on.start();
  auto request = asking_group(R"({"players": [{"id": "anna", "address": "192.0.2.7"}, {}],
                            "strategy": "fair", "fair_within_ms": 5})");
  request->set(header::origin, "https://Play.Example:8443");
  const auto ref = on.send(request);
  REQUIRE(on.ranking_log->groups.size() == 1);
  const auto& got = on.ranking_log->groups[0];
  CHECK(got.exchange == ref);
  CHECK(got.origin_host == "play.example");
  CHECK_FALSE(got.namespace_id.has_value());
  REQUIRE(got.group.players.size() == 2);
  CHECK(got.group.players[0].id == "anna");
  CHECK(got.group.players[0].address == address_of(7));
  CHECK(got.group.strategy == model::group_strategy::fair);
  CHECK(got.group.fair_within_ms == 5);
  CHECK(on.sink.routes[ref.exchange] == std::pair{operation::rank_group, owner::region_ranking});

  const auto json = std::make_shared<const std::string>(R"({"regions":[]})");
  caf::anon_send(on.front, actors::json_made{ref, json});
  on.run();
  CHECK(on.status() == 200);
  CHECK(on.answer().content_type == "application/json");
  CHECK(on.says(any_origin_headers));
}

TEST_CASE("malformed groups are refused without asking the ranking") {
  front_bench on;
  on.start();
  for (const std::string bad : {R"({"players": []})", R"({"players": [{"address": "x"}]})",
                                R"({"players": [{}], "strategy": "best"})", "{}"}) {
    CAPTURE(bad);
    const auto ref = on.send(asking_group(bad));
    CHECK(on.status() == 400);
    CHECK(on.has_code("query_invalid"));
    CHECK(on.says(any_origin_headers));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::rank_group, owner::none});
  }
  on.send(asking_group("{"));
  CHECK(on.has_code("body_malformed"));
  on.send(asking_group("[]"));
  CHECK(on.has_code("body_not_object"));
  on.send(asking_group(std::string(row_of(operation::rank_group).body_limit_bytes + 1, ' ')));
  CHECK(on.status() == 413);
  on.send("GET", target);
  CHECK(on.status() == 405);
  CHECK(on.ranking_log->groups.empty());
}

} // namespace
} // namespace matchcloud::http
