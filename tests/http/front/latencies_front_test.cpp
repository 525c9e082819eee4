#include "actors/latency_map/report_gate.hpp"
#include "http/front/front.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/http/front/front_fixture.hpp"

#include <map>
#include <memory>
#include <string>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using base::owner;
using measured = std::vector<model::measured_latency>;

struct latencies_front_bench : front_bench {
  manual_clock clock;

  /// Has listings be learned from.
  void learn_from_listings() {
    settings->latency_gate =
        std::make_shared<actors::report_gate>(std::chrono::seconds{60}, std::size_t{64}, clock);
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

TEST_CASE("a report goes to the latency_map with the client's address, and its answer is JSON") {
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
  CHECK(on.answer().status == 200);
  CHECK(on.answer().content_type == json_type);
  CHECK(on.answer().body_bytes() == *json);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
}

TEST_CASE("a body that is no report is refused with what is wrong and what to write") {
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
    CHECK(on.answer().status == 400);
    for (const auto& part : parts)
      CHECK(on.problem().find(part) != std::string::npos);
    CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::report_latencies, owner::none});
  }
  CHECK(on.latency_log->latency_reports.empty());
}

TEST_CASE("all that is wrong with a report is said at once") {
  latencies_front_bench on;
  on.start();
  on.report(R"({"latencies": {"LON": 1, "fra": -1, "nrt": true}, "more": 1})");
  for (const std::string part : {"`LON`", "`fra`", "`nrt`", "`more`"})
    CHECK(on.problem().find(part) != std::string::npos);
}

TEST_CASE("as many regions may be reported as may be named in a listing") {
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
  CHECK(on.answer().status == 400);
  CHECK(on.problem().find("256") != std::string::npos);
}

TEST_CASE("a report is JSON of at most 16 KiB, by POST") {
  latencies_front_bench on;
  on.start();
  on.report("{}", "text/plain");
  CHECK(on.answer().status == 415);
  on.report(std::string(16 * 1'024 + 1, ' '));
  CHECK(on.answer().status == 413);
  on.send("GET", "/matchmaker/latencies");
  CHECK(on.answer().status == 405);
  CHECK(says(on.answer(), "Allow: POST, OPTIONS\r\n"));
  on.sink.full = true;
  on.report(R"({"latencies": {"lon": 23.1}})");
  CHECK(on.answer().status == 503);
  CHECK(on.latency_log->latency_reports.empty());
}

std::shared_ptr<admitted_request> latencies_preflight(const std::string& origin) {
  auto request = latencies_front_bench::make("OPTIONS", "/matchmaker/latencies");
  request->set(header::origin, origin);
  request->set(header::access_control_request_method, "POST");
  return request;
}

TEST_CASE("pages that may list regions may report, as JSON") {
  latencies_front_bench on;
  on.settings->cors_origins = {"https://a.example"};
  on.start();
  on.send(latencies_preflight("https://a.example"));
  CHECK(on.answer().status == 204);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: https://a.example\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Methods: POST\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Headers: Authorization, Content-Type, "));
  CHECK(says(on.answer(), "Vary: Origin\r\n"));
  on.send(latencies_preflight("https://b.example"));
  CHECK(!says(on.answer(), "Access-Control"));

  auto request = latencies_front_bench::make("POST", "/matchmaker/latencies");
  request->body = R"({"latencies": {"lon": 23.1}})";
  request->set(header::origin, "https://a.example");
  const auto ref = on.send(request);
  caf::anon_send(on.front, actors::json_made{ref, std::make_shared<const std::string>("{}")});
  on.run();
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: https://a.example\r\n"));
}

// -- listings that are learned from -------------------------------------------

TEST_CASE("latencies of a listing are no report unless listings are learned from") {
  latencies_front_bench on;
  on.start();
  on.send("GET", "/matchmaker/regions?rtt=lon:23");
  CHECK(on.ranking_log->rankings.size() == 1);
  CHECK(on.latency_log->latencies_heard.empty());
}

TEST_CASE("latencies of a listing are a report, one of a client in an interval") {
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
  on.clock.advance(std::chrono::seconds{60});
  on.send("GET", "/matchmaker/regions?rtt=lon:23");
  CHECK(on.latency_log->latencies_heard.size() == 2);
  // Without latencies, or with such as are refused, nothing is reported.
  on.clock.advance(std::chrono::seconds{60});
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
    CHECK(on.answer().status == 400);
    CHECK(has_code(on.answer(), "query_invalid"));
    CHECK(on.problem().find(part) != std::string::npos);
    CHECK(says(on.answer(), any_origin_headers));
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

TEST_CASE("a listing with details is an answer of its own, which clients may keep") {
  latencies_front_bench on;
  on.start();
  const auto json = std::make_shared<const std::string>(R"({"regions":[]})");
  const auto answered = [&](std::string if_none_match) -> const response& {
    auto request = latencies_front_bench::make("GET", "/matchmaker/regions?fields=latency");
    request->set(header::accept_encoding, "gzip");
    if (!if_none_match.empty()) request->set(header::if_none_match, std::move(if_none_match));
    const auto ref = on.send(request);
    caf::anon_send(on.front, actors::regions_ranked{ref, nullptr, nullptr, json});
    on.run();
    return on.answer();
  };
  const auto first = answered("").headers;
  CHECK(on.answer().status == 200);
  CHECK(on.answer().content_type == json_type);
  CHECK(on.answer().body_bytes() == *json);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
  CHECK(says(on.answer(), "Cache-Control: private, max-age=60\r\n"));
  CHECK_FALSE(says(on.answer(), "Content-Encoding"));
  const auto begin = first.find("ETag: ") + 6;
  CHECK(answered(first.substr(begin, first.find("\r\n", begin) - begin)).status == 304);
  CHECK(answered("\"other\"").status == 200);
}

} // namespace
} // namespace matchcloud::http
