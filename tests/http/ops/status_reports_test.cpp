#include "http/ops/status_report.hpp"

#include "base/build_info.hpp"
#include "http/ops/replica_report.hpp"
#include "http/ops/service_history.hpp"
#include "http/transport/admitted_request.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <deque>
#include <map>
#include <string>

namespace matchcloud::http {
namespace {

using namespace std::chrono_literals;
using e2e::number_at;
using e2e::parse_json;
using fixtures::manual_clock;

const admitted_request request;

struct status_report_bench {
  manual_clock clock;
  std::deque<transport_metrics> counted{2};
  std::deque<loop_metrics> loops{2};
  transport_metrics ops;
  actors::child_table children{{}, actors::initial_state{}, 5, 10s};
  status_sources sources;

  status_report_bench() {
    sources.children = &children;
    sources.transports = {&counted[0], &counted[1]};
    sources.loops = {&loops[0], &loops[1]};
    sources.ops = &ops;
  }
};

TEST_CASE("a status has both planes' answers by class, since the start") {
  status_report_bench of;
  of.counted[0].count_answer(operation::list_regions, 200);
  of.counted[1].count_answer(operation::list_regions, 304);
  of.counted[1].count_answer(operation::list_avatars, 404);
  of.ops.count_answer(operation::get_health, 503);
  status_meter meter{of.sources, of.clock};
  const auto status = parse_json(meter.report(true, {}));
  REQUIRE(status.IsObject());
  CHECK(status["ready"].GetBool());
  CHECK(number_at(status, "requests_total") == 4);
  const auto& answers = status["planes"]["data"]["answers"];
  CHECK(number_at(answers, "2xx") == 1);
  CHECK(number_at(answers, "3xx") == 1);
  CHECK(number_at(answers, "4xx") == 1);
  CHECK(number_at(status, "planes/ops/answers/5xx") == 1);
  CHECK(status["faults"].IsNull());
}

TEST_CASE("latencies and how busy loops are come from the last sample") {
  status_report_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 99; ++i)
    of.counted[0].note_answer(request, operation::list_regions, 200, {}, base::steady_time{80us});
  of.counted[1].note_answer(request, operation::list_avatars, 200, {}, base::steady_time{900us});
  of.loops[1].stall.observe(250'000'000);
  of.clock.advance(1s);
  history.sample();
  const status_meter meter{of.sources, of.clock};
  const auto first = parse_json(meter.report(true, history.latest()));
  CHECK(number_at(first, "latency_us/count") == 100);
  CHECK(number_at(first, "latency_us/p50") == Approx(80).epsilon(0.03));
  CHECK(number_at(first, "latency_us/p99") == Approx(80).epsilon(0.03));
  CHECK(number_at(first, "latency_us/max") == 900);
  CHECK(number_at(first, "loops/0/busy") == 0);
  CHECK(number_at(first, "loops/1/busy") == 0.25);
  of.clock.advance(1s);
  history.sample();
  const auto second = parse_json(meter.report(true, history.latest()));
  CHECK(number_at(second, "latency_us/count") == 0);
  CHECK(number_at(second, "latency_us/max") == 0);
  CHECK(number_at(second, "loops/1/busy") == 0);
}

TEST_CASE("client places are counted in cells over a window") {
  manual_clock clock;
  actors::place_counts counts;
  place_report of{{&counts}, clock};
  counts.count(actors::place_counts::cell_of(model::coordinates{51.5, -0.1}));
  counts.count(actors::place_counts::cell_of(model::coordinates{52.4, -4.9}));
  counts.count(actors::place_counts::cell_of(model::coordinates{90, 180}));
  counts.count(actors::place_counts::cell_of(model::coordinates{-90, -180}));
  counts.count(actors::place_counts::cell_of(std::nullopt));
  const auto first = parse_json(of.report());
  CHECK(number_at(first, "unknown") == 1);
  REQUIRE(first["cells"].Size() == 3);
  CHECK(number_at(first, "cells/0/latitude") == -87.5);
  CHECK(number_at(first, "cells/0/longitude") == -177.5);
  CHECK(number_at(first, "cells/1/latitude") == 52.5);
  CHECK(number_at(first, "cells/1/longitude") == -2.5);
  CHECK(number_at(first, "cells/1/requests") == 2);
  CHECK(number_at(first, "cells/2/latitude") == 87.5);

  clock.advance(place_report::window);
  of.report(); // from here on is the next window
  clock.advance(place_report::window);
  counts.count(actors::place_counts::cell_of(model::coordinates{0, 0}));
  const auto later = parse_json(of.report());
  CHECK(number_at(later, "unknown") == 0);
  REQUIRE(later["cells"].Size() == 1);
  CHECK(number_at(later, "window_s") == 600);
}

TEST_CASE("without counts, places say that they are off") {
  manual_clock clock;
  place_report of{{}, clock};
  const auto report = parse_json(of.report());
  CHECK_FALSE(report["enabled"].GetBool());
  CHECK(report["cells"].Size() == 0);
}

using actors::child_spec;
using base::owner;
using e2e::text_at;

/// The children of two loops and the pool, without actors.
struct actor_report_bench {
  std::deque<transport_metrics> counted{2};
  transport_metrics ops;
  actors::child_table children{
      {{"catalog", child_spec::kind::worker, owner::none, child_spec::every_loop, {}},
       {"geoip_watch", child_spec::kind::worker, owner::none, child_spec::every_loop, {}},
       {"validator/large",
        child_spec::kind::owner,
        owner::large_validator,
        child_spec::every_loop,
        {}},
       {"lobby_export", child_spec::kind::owner, owner::lobby_export, child_spec::every_loop, {}},
       {"validator/0", child_spec::kind::owner, owner::validator, 0, {}},
       {"validator/1", child_spec::kind::owner, owner::validator, 1, {}},
       {"front/0", child_spec::kind::front, owner::none, 0, {}},
       {"front/1", child_spec::kind::front, owner::none, 1, {}},
       {"ingestion", child_spec::kind::owner, owner::ingestion, child_spec::every_loop, {}},
       {"ops_front", child_spec::kind::front, owner::none, 2, {}}},
      actors::initial_state{},
      5,
      std::chrono::seconds{10}};

  rapidjson::Document report() const {
    status_sources sources;
    sources.children = &children;
    sources.transports = {&counted[0], &counted[1]};
    sources.ops = &ops;
    return parse_json(actor_report(sources));
  }
};

TEST_CASE("the supervisor and every place are reported") {
  const actor_report_bench of;
  const auto all = of.report();
  REQUIRE(all.IsObject());
  struct expected {
    std::string place;
    std::string kind;
    /// -1 for all loops.
    int loop;
  };
  const std::vector<expected> rows{{"supervisor", "supervisor", -1},
                                   {"catalog", "catalog", -1},
                                   {"geoip_watch", "geoip_watch", -1},
                                   {"validator/large", "large_validator", -1},
                                   {"lobby_export", "lobby_export", -1},
                                   {"validator/0", "validator", 0},
                                   {"validator/1", "validator", 1},
                                   {"front/0", "front", 0},
                                   {"front/1", "front", 1},
                                   {"ingestion", "ingestion", -1},
                                   {"ops_front", "front", 2}};
  REQUIRE(all["actors"].Size() == rows.size());
  for (unsigned i = 0; i < rows.size(); ++i) {
    const auto& got = all["actors"][i];
    CAPTURE(rows[i].place);
    CHECK(text_at(got, "place") == rows[i].place);
    CHECK(text_at(got, "kind") == rows[i].kind);
    CHECK((got["loop"].IsNull() ? -1 : got["loop"].GetInt()) == rows[i].loop);
    CHECK(text_at(got, "state") == "running");
    CHECK(number_at(got, "depth") == 0);
    CHECK(number_at(got, "restarts") == 0);
    CHECK(number_at(got, "handled") == 0);
    CHECK(got["last_error"].IsNull());
  }
}

TEST_CASE("a place's depth is its loop's, or the sum of all loops") {
  actor_report_bench of;
  of.counted[0].at_owner[index_of(owner::validator)] = 3;
  of.counted[1].at_owner[index_of(owner::validator)] = 5;
  of.counted[0].at_owner[index_of(owner::large_validator)] = 10;
  of.counted[1].at_owner[index_of(owner::large_validator)] = 20;
  of.counted[0].at_owner[index_of(owner::avatar)] = 100; // has no place here
  of.counted[1].at_owner[index_of(owner::lobby_export)] = 7;
  of.counted[0].in_flight = 200;
  of.counted[1].in_flight = 400;
  of.ops.in_flight = 9;
  of.ops.at_owner[index_of(owner::ingestion)] = 8;
  const auto all = of.report();
  REQUIRE(all.IsObject());
  std::vector<int> depths;
  for (const auto& each : all["actors"].GetArray())
    depths.push_back(each["depth"].GetInt());
  CHECK(depths == std::vector<int>{0, 0, 0, 30, 7, 3, 5, 200, 400, 8, 9});
}

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
                            base::steady_time{2ms});
      clock.advance(1s);
      history.sample();
    }
  }

  using members = std::map<std::string, std::string>;

  /// Another one like this, but for some members.
  void hear(const std::string& id, const members& but = {}, milliseconds age = 2s) {
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
      counted.note_answer(replica_request, which, status, {}, base::steady_time{9s});
    clock.advance(1s);
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
  CHECK(number_at(told, "requests") == 3'000);
  CHECK(number_at(told, "requests_per_second") == 200);
  CHECK(number_at(told, "p99_us") > 1'900);
  CHECK(number_at(told, "p99_us") < 2'100);
  CHECK(told["causes"].Size() == 1);
}

TEST_CASE("file downloads and unmatched requests do not count as slow or failed") {
  replica_report_bench on;
  for (int second = 0; second < 3; ++second) {
    on.answer(operation::download_export, 200);
    on.answer(operation::unmatched, 505);
  }
  const auto before = parse_json(on.of.summary());
  CHECK(number_at(before, "failed_share") == 0);
  CHECK(number_at(before, "p99_us") < 2'100);
  for (int second = 0; second < 3; ++second)
    on.answer(operation::list_regions, 503);
  const auto after = parse_json(on.of.summary());
  CHECK(number_at(after, "failed_share") > 0);
  CHECK(number_at(after, "p99_us") > 2'100);
}

TEST_CASE("replicas are shown as they reported, this one as it is now") {
  replica_report_bench on;
  on.hear("b", {{"p99_us", "300000"}, {"version", "\"0.0.1\""}}, 31s);
  on.hear("a");
  on.heard.push_back({"this", 3s, R"({"host":"old","p99_us":9000000})"});
  on.heard.push_back({"c", 1s, "not JSON"});
  on.heard.push_back({"d", 1s, "[]"});
  const auto report = parse_json(on.of.report(on.heard));
  const auto& shown = report["replicas"];
  REQUIRE(shown.Size() == 3);
  CHECK(text_at(shown[0], "host") == "a");
  CHECK(text_at(shown[1], "host") == "b");
  CHECK(text_at(shown[1], "version") == "0.0.1");
  CHECK(number_at(shown, "1/age_ms") == 31'000);
  CHECK(number_at(shown, "1/p99_us") == 300'000);
  CHECK(text_at(shown[2], "host") == "match-1");
  CHECK(shown[2]["is_this"].GetBool());
}

} // namespace
} // namespace matchcloud::http
