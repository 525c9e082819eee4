#include "actors/request/request_trace.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <memory>
#include <string>

namespace matchcloud::actors {
namespace {

using e2e::parse_json;
using e2e::text_at;
using fixtures::manual_clock;
using std::chrono::microseconds;

TEST_CASE("of so many requests the first is traced, and with 0 or without a log none") {
  trace_sampler of_three{std::make_shared<const trace_log>(3)};
  std::string traced;
  for (int i = 0; i < 7; ++i)
    traced += of_three.next() ? 'x' : '.';
  CHECK(traced == "x..x..x");
  CHECK(trace_sampler{std::make_shared<const trace_log>(0)}.next() == nullptr);
  CHECK(trace_sampler{nullptr}.next() == nullptr);
}

TEST_CASE("a trace says when each actor began and how long it took") {
  manual_clock clock;
  trace_log log{1, clock};
  const auto trace = log.begin();
  {
    const traced_step front{trace, "front"};
    clock.advance(microseconds{5});
  }
  clock.advance(microseconds{10});
  {
    const traced_step owner{trace, "avatar"};
    clock.advance(microseconds{20});
  }
  clock.advance(microseconds{1});
  log.keep(trace, "list_avatars", 200, "an id");
  const auto report = parse_json(log.report());
  REQUIRE(report.IsObject());
  REQUIRE(report["traces"].Size() == 1);
  const auto& one = report["traces"][0];
  CHECK(text_at(one, "operation") == "list_avatars");
  CHECK(text_at(one, "request_id") == "an id");
  CHECK(one["status"].GetInt() == 200);
  CHECK(one["total_us"].GetInt() == 36);
  REQUIRE(one["steps"].Size() == 2);
  CHECK(text_at(one["steps"][1], "place") == "avatar");
  CHECK(one["steps"][1]["at_us"].GetInt() == 15);
  CHECK(one["steps"][1]["us"].GetInt() == 20);
}

TEST_CASE("the last traces are kept, the newest first, each with a bounded number of steps") {
  trace_log log{1};
  for (std::size_t i = 0; i < trace_log::kept_limit + 5; ++i) {
    const auto trace = log.begin();
    for (std::size_t step = 0; step < request_trace::steps_limit + 3; ++step)
      trace->enter("front");
    log.keep(trace, "ping", 204, std::to_string(i));
  }
  const auto report = parse_json(log.report());
  REQUIRE(report["traces"].Size() == trace_log::kept_limit);
  CHECK(text_at(report["traces"][0], "request_id") == std::to_string(trace_log::kept_limit + 4));
  CHECK(report["traces"][0]["steps"].Size() == request_trace::steps_limit);
}

} // namespace
} // namespace matchcloud::actors
