#include "http/ops/replica_report.hpp"

#include "base/build_info.hpp"
#include "http/transport/admitted_request.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <map>
#include <string>

namespace matchcloud::http {
namespace {

using e2e::parse_json;
using e2e::text_at;
using fixtures::manual_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

const admitted_request replica_request;

/// This process, which answers 200 requests a second in 2 ms, and others that tell what they are
/// given.
struct replica_report_bench {
  manual_clock clock;
  transport_metrics counted;
  base::metric_set none;
  status_sources sources;
  service_history history{sources, clock};
  bound_use bounds{none, {}};
  attention causes{none, history, bounds, clock};
  std::string state = "ready";
  replica_report of{{"this", "match-1", "http://127.0.0.1:1", 7}, history, causes, [this] {
                      return std::string_view{state};
                    }};
  std::vector<told_summary> heard;

  replica_report_bench() {
    sources.transports = {&counted};
    history.sample();
    for (int second = 0; second < 15; ++second) {
      for (int i = 0; i < 200; ++i)
        counted.note_answer(replica_request, operation::list_avatars, 200, {},
                            base::steady_time{milliseconds{2}});
      clock.advance(seconds{1});
      history.sample();
    }
  }

  using members = std::map<std::string, std::string>;

  /// Another one like this, but for some members.
  void hear(const std::string& id, const members& but = {}, milliseconds age = seconds{2}) {
    members all{{"host", "\"" + id + "\""},
                {"ops_url", "\"http://10.0.0.1\""},
                {"version", "\"" + std::string{base::built().version} + "\""},
                {"state", "\"ready\""},
                {"requests", "3000"},
                {"requests_per_second", "200"},
                {"failed_share", "0"},
                {"p50_us", "2000"},
                {"p99_us", "2000"},
                {"causes", "[\"geoip_absent\"]"}};
    for (const auto& [name, value] : but)
      all[name] = value;
    std::string json;
    for (const auto& [name, value] : all)
      json.append(json.empty() ? "{\"" : ",\"").append(name).append("\":").append(value);
    heard.push_back({id, age, json + "}"});
  }

  /// Lets a second pass in which this process answers 20 requests in 9 s.
  void answer(operation which, int status) {
    for (int i = 0; i < 20; ++i)
      counted.note_answer(replica_request, which, status, {}, base::steady_time{seconds{9}});
    clock.advance(seconds{1});
    history.sample();
  }

  /// Why they are odd, each with its host.
  std::string odd() const {
    std::string made;
    const auto report = parse_json(of.report(heard));
    for (const auto& each : report["replicas"].GetArray())
      for (const auto& why : each["odd"].GetArray())
        made.append(text_at(each, "host")).append(": ").append(why.GetString()).append("; ");
    return made;
  }
};

TEST_CASE("a process tells how it was in the last seconds, in few bytes") {
  const replica_report_bench on;
  const auto text = on.of.summary();
  CHECK(text.size() < 2'048);
  const auto told = parse_json(text);
  CHECK(text_at(told, "host") == "match-1");
  CHECK(text_at(told, "state") == "ready");
  CHECK(told["requests"].GetInt() == 3'000);
  CHECK(told["requests_per_second"].GetDouble() == 200);
  CHECK(told["p99_us"].GetDouble() > 1'900);
  CHECK(told["p99_us"].GetDouble() < 2'100);
  CHECK(told["causes"].Size() == 1);
}

TEST_CASE("files, and what is no request of this service, do not make a process odd") {
  replica_report_bench on;
  on.hear("a");
  on.answer(operation::download_export, 200);
  on.answer(operation::unmatched, 505);
  CHECK(on.odd() == "");
  on.answer(operation::list_regions, 503);
  CHECK(on.odd() != "");
}

TEST_CASE("replicas that are alike are all shown, none as odd") {
  replica_report_bench on;
  on.hear("a");
  on.hear("b");
  on.heard.push_back({"this", seconds{3}, R"({"host":"old","p99_us":9000000})"});
  const auto report = parse_json(on.of.report(on.heard));
  REQUIRE(report["replicas"].Size() == 3);
  CHECK(text_at(report["replicas"][2], "host") == "match-1");
  CHECK(report["replicas"][2]["is_this"].GetBool());
  CHECK(on.odd() == "");
  CHECK(on.of.find_odd(on.heard).empty());
}

TEST_CASE("the one that is slow, fails, is idle, silent, not ready or alone with a cause is odd") {
  replica_report_bench on;
  on.hear("a");
  SECTION("slow") {
    on.hear("b", {{"p99_us", "300000"}});
    CHECK(on.odd() ==
          "b: One in a hundred of its requests takes 300 ms or more; for the others, it "
          "is 2 ms.; ");
    const auto found = on.of.find_odd(on.heard);
    REQUIRE(found.size() == 1);
    CHECK(found[0].cause == "replica_odd");
    CHECK(found[0].what.find("Replica b (http://10.0.0.1)") == 0);
  }
  SECTION("failing") {
    on.hear("b", {{"failed_share", "0.2"}});
    CHECK(on.odd() == "b: 20 % of its requests fail with 5xx; for the others, it is 0 %.; ");
  }
  SECTION("idle") {
    on.hear("b", {{"requests_per_second", "3"}, {"requests", "45"}});
    CHECK(on.odd() == "b: It gets 3 requests per second; the others get 200.; ");
  }
  SECTION("silent") {
    on.hear("b", {{"p99_us", "300000"}}, seconds{31});
    CHECK(on.odd() == "b: It has reported nothing for 31 s.; ");
  }
  SECTION("not ready") {
    on.hear("b", {{"state", "\"draining\""}});
    CHECK(on.odd() == "b: It is not ready: draining.; ");
  }
  SECTION("of another version") {
    on.hear("b", {{"version", "\"0.0.1\""}});
    CHECK(on.odd() == "b: It runs version 0.0.1, unlike most others.; ");
  }
  SECTION("with a cause of its own") {
    on.hear("b", {{"causes", R"(["geoip_absent","store_away"])"}});
    CHECK(on.odd() == "b: Only this one has the finding store_away.; ");
  }
}

TEST_CASE("a process that hears of nobody is odd itself, not the others") {
  replica_report_bench on;
  on.hear("a", {}, seconds{40});
  on.hear("b", {{"state", "\"draining\""}}, seconds{42});
  CHECK(on.odd().starts_with("match-1: It has heard nothing from the others for 40 s: "));
  CHECK(on.of.find_odd(on.heard).size() == 1);
}

TEST_CASE("with few requests nobody is slow, and what is no summary is left out") {
  replica_report_bench on;
  on.hear("a", {{"p99_us", "300000"}, {"requests", "19"}, {"requests_per_second", "60"}});
  on.heard.push_back({"b", seconds{1}, "not JSON"});
  on.heard.push_back({"c", seconds{1}, "[]"});
  CHECK(on.odd() == "");
  CHECK(parse_json(on.of.report(on.heard))["replicas"].Size() == 2);
}

} // namespace
} // namespace matchcloud::http
