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

TEST_CASE("files, and what is no request of this service, do not count as slow or failed") {
  replica_report_bench on;
  for (int second = 0; second < 3; ++second) {
    on.answer(operation::download_export, 200);
    on.answer(operation::unmatched, 505);
  }
  const auto before = parse_json(on.of.summary());
  CHECK(before["failed_share"].GetDouble() == 0);
  CHECK(before["p99_us"].GetDouble() < 2'100);
  for (int second = 0; second < 3; ++second)
    on.answer(operation::list_regions, 503);
  const auto after = parse_json(on.of.summary());
  CHECK(after["failed_share"].GetDouble() > 0);
  CHECK(after["p99_us"].GetDouble() > 2'100);
}

TEST_CASE("all replicas are shown with what they reported, this one as it is now") {
  replica_report_bench on;
  on.hear("b", {{"p99_us", "300000"}, {"version", "\"0.0.1\""}}, seconds{31});
  on.hear("a");
  on.heard.push_back({"this", seconds{3}, R"({"host":"old","p99_us":9000000})"});
  on.heard.push_back({"c", seconds{1}, "not JSON"});
  on.heard.push_back({"d", seconds{1}, "[]"});
  const auto report = parse_json(on.of.report(on.heard));
  const auto& shown = report["replicas"];
  REQUIRE(shown.Size() == 3);
  CHECK(text_at(shown[0], "host") == "a");
  CHECK(text_at(shown[1], "host") == "b");
  CHECK(text_at(shown[1], "version") == "0.0.1");
  CHECK(shown[1]["age_ms"].GetInt() == 31'000);
  CHECK(shown[1]["p99_us"].GetInt() == 300'000);
  CHECK(text_at(shown[2], "host") == "match-1");
  CHECK(shown[2]["is_this"].GetBool());
}

} // namespace
} // namespace matchcloud::http
