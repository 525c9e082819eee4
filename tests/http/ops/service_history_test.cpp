#include "http/ops/service_history.hpp"

#include "http/transport/admitted_request.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace matchcloud::http {
namespace {

using e2e::parse_json;
using e2e::text_at;
using fixtures::manual_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const admitted_request history_request;

struct service_history_bench {
  manual_clock clock;
  std::deque<transport_metrics> counted{2};
  std::deque<loop_metrics> loops{2};
  transport_metrics ops{plane::ops};
  std::uint64_t restarts = 0;
  std::uint64_t waited_ns = 0;
  status_sources sources;

  service_history_bench() {
    sources.transports = {&counted[0], &counted[1]};
    sources.loops = {&loops[0], &loops[1]};
    sources.loop_waits = {[this] { return waited_ns; }, [] { return 0; }};
    sources.ops = &ops;
    sources.counts = {{"actor_restarts", [this] { return restarts; }}};
  }

  void answer(microseconds took, int status = 200, operation which = operation::list_avatars) {
    counted[took.count() % 2].note_answer(history_request, which, status, {},
                                          base::steady_time{took});
  }
  void pass(service_history& in, seconds how_long = seconds{1}) {
    for (seconds each{0}; each < how_long; ++each) {
      clock.advance(seconds{1});
      in.sample();
    }
  }
};

rapidjson::Document points_of(const service_history& of, const actors::past_query& wanted = {}) {
  const auto text = of.report(wanted);
  REQUIRE(text);
  return parse_json(*text);
}

TEST_CASE("a second has what happened in it, by operation and for the plane") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 97; ++i)
    of.answer(milliseconds{2});
  of.answer(milliseconds{173}, 503);
  of.answer(microseconds{300'001}, 200, operation::list_regions);
  of.answer(seconds{1}, 404, operation::list_regions);
  of.ops.note_answer(history_request, operation::get_health, 200, {},
                     base::steady_time{microseconds{5}});
  of.restarts = 3;
  of.loops[1].stall.observe(500'000'000);
  of.waited_ns = 250'000'000;
  of.pass(history);
  const auto report = points_of(history);
  REQUIRE(report["points"].Size() == 1);
  const auto& point = report["points"][0];
  CHECK(point["covers_ms"].GetInt() == 1'000);
  CHECK(point["counts"]["actor_restarts"].GetInt() == 3);
  CHECK(point["loops"][1].GetDouble() == 0.5);
  REQUIRE(point["loops_waiting"].Size() == 2);
  CHECK(point["loops_waiting"][0].GetDouble() == 0.25);
  CHECK(point["data_plane"]["requests"].GetInt() == 100);
  CHECK(point["data_plane"]["answers"]["4xx"].GetInt() == 1);
  CHECK(point["data_plane"]["latency_us"]["max"].GetInt() == 300'001);
  REQUIRE(point["operations"].Size() == 3);
  const auto& avatars = point["operations"][1];
  CHECK(text_at(avatars, "operation") == "list_avatars");
  CHECK(avatars["answers"]["5xx"].GetInt() == 1);
  CHECK(avatars["latency_us"]["p50"].GetInt() == Approx(2'000).epsilon(0.025));
  CHECK(avatars["latency_us"]["max"].GetInt() == 173'000);
}

TEST_CASE("what was refused does not make an operation look quick") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 10; ++i)
    of.answer(milliseconds{2});
  for (int i = 0; i < 90; ++i)
    of.answer(microseconds{1}, 429);
  of.pass(history);
  const auto report = points_of(history);
  const auto& plane = report["points"][0]["data_plane"];
  CHECK(plane["requests"].GetInt() == 100);
  CHECK(plane["latency_us"]["count"].GetInt() == 10);
  CHECK(plane["latency_us"]["p50"].GetInt() == Approx(2'000).epsilon(0.025));
  CHECK(plane["refusals_us"]["count"].GetInt() == 90);
  CHECK(plane["refusals_us"]["max"].GetInt() == 1);
  const auto& avatars = report["points"][0]["operations"][0];
  CHECK(avatars["answers"]["4xx"].GetInt() == 90);
  CHECK(avatars["latency_us"]["count"].GetInt() == 10);
  of.answer(milliseconds{4});
  of.pass(history);
  actors::past_query by_second;
  by_second.step = seconds{1};
  const auto later = points_of(history, by_second);
  REQUIRE(later["points"].Size() == 2);
  const auto& next = later["points"][1]["data_plane"];
  CHECK(next["latency_us"]["count"].GetInt() == 1);
  CHECK(next["refusals_us"]["count"].GetInt() == 0);
}

TEST_CASE("requests that match no operation count for the plane that they were sent to") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 40; ++i)
    of.ops.note_answer(history_request, operation::unmatched, 404, {},
                       base::steady_time{microseconds{1}});
  for (int i = 0; i < 10; ++i)
    of.answer(milliseconds{2}, 200, operation::list_regions);
  of.answer(microseconds{1}, 404, operation::unmatched);
  of.pass(history);
  const auto report = points_of(history);
  const auto& point = report["points"][0];
  CHECK(point["data_plane"]["requests"].GetInt() == 11);
  CHECK(point["data_plane"]["refusals_us"]["count"].GetInt() == 1);
  CHECK(point["data_plane"]["latency_us"]["p50"].GetInt() == Approx(2'000).epsilon(0.025));
  REQUIRE(point["operations"].Size() == 3);
  const auto check = [&](unsigned index, const char* plane, int requests) {
    const auto& each = point["operations"][index];
    CHECK(text_at(each, "operation") == "unmatched");
    CHECK(text_at(each, "plane") == plane);
    CHECK(each["requests"].GetInt() == requests);
  };
  check(1, "data", 1);
  check(2, "ops", 40);
}

TEST_CASE("percentiles of merged parts are within 2.5 % of the exact ones") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  std::mt19937_64 random{7};
  std::lognormal_distribution<double> times{8, 1.5};
  std::vector<double> all;
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 500; ++i) {
      const auto us = std::max<std::int64_t>(2, static_cast<std::int64_t>(times(random)));
      all.push_back(static_cast<double>(us));
      of.answer(microseconds{us});
    }
    of.pass(history);
  }
  std::ranges::sort(all);
  actors::past_query wanted;
  wanted.step = seconds{3'600};
  const auto report = points_of(history, wanted);
  std::uint64_t found = 0;
  for (const auto& point : report["points"].GetArray()) {
    if (point["data_plane"]["requests"].GetUint64() < all.size()) continue;
    found = point["data_plane"]["requests"].GetUint64();
    const auto& latency = point["data_plane"]["latency_us"];
    const auto exact = [&](double share) {
      return all[static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1];
    };
    CHECK(latency["p50"].GetDouble() == Approx(exact(0.5)).epsilon(0.03));
    CHECK(latency["p99"].GetDouble() == Approx(exact(0.99)).epsilon(0.03));
    CHECK(latency["p99_9"].GetDouble() == Approx(exact(0.999)).epsilon(0.03));
    CHECK(latency["max"].GetDouble() == all.back());
  }
  CHECK(found == all.size());
}

TEST_CASE("the last hour is there by the second, the day before by the minute") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int minute = 0; minute < 26 * 60; ++minute) {
    of.answer(milliseconds{1});
    of.clock.advance(seconds{59});
    of.pass(history);
  }
  actors::past_query wanted;
  wanted.from_ms = 0;
  wanted.step = seconds{3'600};
  wanted.from_ms = of.clock.unix_ms() - milliseconds{std::chrono::hours{30}}.count();
  const auto hours = points_of(history, wanted);
  std::uint64_t sum = 0;
  for (const auto& point : hours["points"].GetArray())
    sum += point["data_plane"]["requests"].GetUint64();
  CHECK(sum >= 24 * 60 - 2);
  CHECK(sum <= 24 * 60 + 61);
  wanted = {};
  wanted.last = std::chrono::hours{2};
  const auto last = points_of(history, wanted);
  CHECK(last["to"].GetInt64() == of.clock.unix_ms());
  CHECK(last["from"].GetInt64() == of.clock.unix_ms() - 7'200'000);
  CHECK(last["points"][0]["at"].GetInt64() >= of.clock.unix_ms() - 7'200'000 - 60'000);
  CHECK(last["points"][0]["at"].GetInt64() <= of.clock.unix_ms() - 7'200'000 + 60'000);
  // Parts do not overlap, and nothing between them is lost.
  for (unsigned i = 1; i < hours["points"].Size(); ++i) {
    const auto& before = hours["points"][i - 1];
    CHECK(before["at"].GetInt64() + before["covers_ms"].GetInt64() ==
          hours["points"][i]["at"].GetInt64());
  }
}

TEST_CASE("what is beyond the memory limit becomes coarser, and then goes") {
  service_history_bench of;
  const std::size_t limit = GENERATE(300'000U, 20'000U);
  service_history history{of.sources, of.clock, limit};
  std::mt19937_64 random{1};
  std::uint64_t sent = 0;
  const auto sum = [&] {
    actors::past_query wanted;
    wanted.step = seconds{60};
    std::uint64_t all = 0;
    const auto report = points_of(history, wanted);
    for (const auto& point : report["points"].GetArray())
      all += point["data_plane"]["requests"].GetUint64();
    return all;
  };
  bool is_whole = true;
  for (int second = 0; second < 1'500; ++second) {
    for (int i = 0; i < 20; ++i, ++sent)
      of.answer(microseconds{2 + random() % 1'000'000});
    of.pass(history);
    is_whole = is_whole && history.used_bytes() <= limit;
  }
  CHECK(is_whole);
  CHECK(sum() > 0);
  CHECK((sum() == sent) == (limit == 300'000)); // all minutes are there, although not by the second
}

TEST_CASE("ten busy operations are kept by the second for ten minutes, for a day by less") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  const auto pass = [&](seconds how_long) {
    for (std::size_t i = 0; i < 10; ++i)
      for (double us = 20; us < 150'000; us *= 1.05)
        of.answer(microseconds{std::lround(us)}, 200, static_cast<operation>(i));
    of.clock.advance(how_long - seconds{1});
    of.pass(history);
  };
  for (int minute = 0; minute < 24 * 60; ++minute)
    pass(minutes{1});
  for (int second = 0; second < 600; ++second)
    pass(seconds{1});
  CHECK(history.used_bytes() <= service_history::limit_bytes);
  actors::past_query wanted;
  wanted.last = minutes{10};
  wanted.step = seconds{1};
  CHECK(points_of(history, wanted)["points"].Size() == 600);
  wanted.last = std::chrono::hours{24};
  wanted.step = std::chrono::hours{1};
  CHECK(points_of(history, wanted)["points"].Size() >= 24);
}

TEST_CASE("a clock that is set back loses nothing and keeps the order") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  of.answer(milliseconds{1});
  of.pass(history);
  of.clock.jump(-minutes{5});
  of.answer(milliseconds{1});
  of.pass(history);
  of.clock.jump(minutes{10});
  of.pass(history);
  CHECK(history.latest().begin_ms <= history.latest().end_ms);
  const auto report = points_of(history);
  std::uint64_t sum = 0;
  for (const auto& point : report["points"].GetArray())
    sum += point["data_plane"]["requests"].GetUint64();
  CHECK(sum == 2);
}

TEST_CASE("points keep the time at which they were measured, however the clock is set since") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  const auto start_ms = of.clock.unix_ms();
  constexpr milliseconds hour = std::chrono::hours{1};
  const auto pass = [&](int count) {
    for (int second = 0; second < count; ++second) {
      of.answer(milliseconds{1});
      of.pass(history);
    }
  };
  const auto times = [&](milliseconds until, seconds step) {
    actors::past_query wanted;
    wanted.from_ms = start_ms;
    wanted.to_ms = start_ms + until.count();
    wanted.step = step;
    const auto report = points_of(history, wanted);
    std::vector<std::int64_t> all;
    std::int64_t covered = 0;
    for (const auto& point : report["points"].GetArray()) {
      all.push_back(point["at"].GetInt64() - start_ms);
      covered += point["covers_ms"].GetInt64();
      CHECK(point["data_plane"]["requests"].GetInt64() * 1'000 == point["covers_ms"].GetInt64());
    }
    return std::pair{all, covered};
  };
  using list = std::vector<std::int64_t>;
  pass(2);
  of.clock.jump(hour);
  pass(2);
  of.clock.jump(-hour);
  pass(2);
  const auto later = hour.count();
  CHECK(times(minutes{1}, seconds{1}).first == list{0, 1'000, 4'000, 5'000});
  CHECK(times(2 * hour, seconds{2}).first == list{0, 4'000, later + 2'000});
  CHECK(times(2 * hour, seconds{3'600}).second == 6'000);
  of.pass(history, seconds{4'000}); // the seconds go, their minutes stay
  CHECK(history.past(seconds{10}).end_ms - history.past(seconds{10}).begin_ms == 10'000);
  actors::past_query wanted;
  wanted.last = std::chrono::hours{2};
  wanted.step = seconds{60};
  const auto report = points_of(history, wanted);
  std::int64_t last = 0;
  for (const auto& point : report["points"].GetArray()) {
    CHECK(point["at"].GetInt64() >= last);
    last = point["at"].GetInt64();
  }
  CHECK(report["points"][0]["at"].GetInt64() == start_ms);
}

TEST_CASE("after a clock was set back, the past goes on at once") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  of.loops[0].stall.observe(1'000'000'000);
  of.pass(history, seconds{120});
  of.clock.jump(-minutes{30});
  for (int second = 0; second < 100; ++second) {
    of.answer(milliseconds{1});
    of.loops[0].stall.observe(500'000'000);
    of.pass(history);
  }
  const auto past = history.past(seconds{60});
  CHECK(past.end_ms - past.begin_ms == 60'000);
  CHECK(past.sum_of(plane::data).requests() == 60);
  CHECK(past.busy_us.at(0) == 30'000'000);
  actors::past_query wanted;
  wanted.from_ms = of.clock.unix_ms() - 10'000;
  const auto report = points_of(history, wanted);
  REQUIRE(report["points"].Size() == 10);
  CHECK(report["points"][9]["at"].GetInt64() == of.clock.unix_ms() - 1'000);
}

TEST_CASE("too many points are refused with what to do") {
  service_history_bench of;
  const service_history history{of.sources, of.clock};
  actors::past_query wanted;
  wanted.step = seconds{1};
  CHECK(history.report(wanted));
  wanted.from_ms = of.clock.unix_ms() - milliseconds{std::chrono::hours{2}}.count();
  const auto refused = history.report(wanted);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::errc::query_invalid);
  CHECK(refused.error().detail.find("longer `step`") != std::string::npos);
}

} // namespace
} // namespace matchcloud::http
