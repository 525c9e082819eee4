#include "http/ops/status_report.hpp"

#include "http/ops/service_history.hpp"
#include "http/transport/admitted_request.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <deque>

namespace matchcloud::http {
namespace {

using e2e::parse_json;
using fixtures::manual_clock;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const admitted_request request;

struct status_report_bench {
  manual_clock clock;
  std::deque<transport_metrics> counted{2};
  std::deque<loop_metrics> loops{2};
  transport_metrics ops;
  actors::child_table children{{}, actors::initial_state{}, 5, seconds{10}};
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
  CHECK(status["requests_total"].GetInt() == 4);
  const auto& answers = status["planes"]["data"]["answers"];
  CHECK(answers["2xx"].GetInt() == 1);
  CHECK(answers["3xx"].GetInt() == 1);
  CHECK(answers["4xx"].GetInt() == 1);
  CHECK(status["planes"]["ops"]["answers"]["5xx"].GetInt() == 1);
  CHECK(status["faults"].IsNull());
}

TEST_CASE("latencies and how busy loops are come from the last sample") {
  status_report_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 99; ++i)
    of.counted[0].note_answer(request, operation::list_regions, 200, {},
                              base::steady_time{microseconds{80}});
  of.counted[1].note_answer(request, operation::list_avatars, 200, {},
                            base::steady_time{microseconds{900}});
  of.loops[1].stall.observe(250'000'000);
  of.clock.advance(seconds{1});
  history.sample();
  const status_meter meter{of.sources, of.clock};
  const auto first = parse_json(meter.report(true, history.latest()));
  CHECK(first["latency_us"]["count"].GetInt() == 100);
  CHECK(first["latency_us"]["p50"].GetInt() == Approx(80).epsilon(0.03));
  CHECK(first["latency_us"]["p99"].GetInt() == Approx(80).epsilon(0.03));
  CHECK(first["latency_us"]["max"].GetInt() == 900);
  CHECK(first["loops"][0]["busy"].GetDouble() == 0);
  CHECK(first["loops"][1]["busy"].GetDouble() == 0.25);
  of.clock.advance(seconds{1});
  history.sample();
  const auto second = parse_json(meter.report(true, history.latest()));
  CHECK(second["latency_us"]["count"].GetInt() == 0);
  CHECK(second["latency_us"]["max"].GetInt() == 0);
  CHECK(second["loops"][1]["busy"].GetDouble() == 0);
}

TEST_CASE("places are counted in cells, from about a window ago") {
  manual_clock clock;
  actors::place_counts counts;
  place_report of{{&counts}, clock};
  counts.count(actors::place_counts::cell_of(model::coordinates{51.5, -0.1}));
  counts.count(actors::place_counts::cell_of(model::coordinates{52.4, -4.9}));
  counts.count(actors::place_counts::cell_of(model::coordinates{90, 180}));
  counts.count(actors::place_counts::cell_of(model::coordinates{-90, -180}));
  counts.count(actors::place_counts::cell_of(std::nullopt));
  const auto first = parse_json(of.report());
  CHECK(first["unknown"].GetInt() == 1);
  REQUIRE(first["cells"].Size() == 3);
  CHECK(first["cells"][0]["latitude"].GetDouble() == -87.5);
  CHECK(first["cells"][0]["longitude"].GetDouble() == -177.5);
  CHECK(first["cells"][1]["latitude"].GetDouble() == 52.5);
  CHECK(first["cells"][1]["longitude"].GetDouble() == -2.5);
  CHECK(first["cells"][1]["requests"].GetInt() == 2);
  CHECK(first["cells"][2]["latitude"].GetDouble() == 87.5);

  clock.advance(place_report::window);
  of.report(); // from here on is the next window
  clock.advance(place_report::window);
  counts.count(actors::place_counts::cell_of(model::coordinates{0, 0}));
  const auto later = parse_json(of.report());
  CHECK(later["unknown"].GetInt() == 0);
  REQUIRE(later["cells"].Size() == 1);
  CHECK(later["window_s"].GetInt() == 600);
}

TEST_CASE("without counts, places say that they are off") {
  manual_clock clock;
  place_report of{{}, clock};
  const auto report = parse_json(of.report());
  CHECK_FALSE(report["enabled"].GetBool());
  CHECK(report["cells"].Size() == 0);
}

} // namespace
} // namespace matchcloud::http
