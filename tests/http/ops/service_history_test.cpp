#include "http/ops/service_history.hpp"

#include "http/transport/admitted_request.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
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

using namespace std::chrono_literals;
using e2e::number_at;
using e2e::parse_json;
using e2e::text_at;
using fixtures::contains;
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
  void pass(service_history& in, seconds how_long = 1s) {
    for (seconds each{0}; each < how_long; ++each) {
      clock.advance(1s);
      in.sample();
    }
  }
};

rapidjson::Document points_of(const service_history& of, const actors::past_query& wanted = {}) {
  const auto text = of.report(wanted);
  REQUIRE(text);
  return parse_json(*text);
}

TEST_CASE("a second has counts and latencies by operation and plane") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 97; ++i)
    of.answer(2ms);
  of.answer(173ms, 503);
  of.answer(300'001us, 200, operation::list_regions);
  of.answer(1s, 404, operation::list_regions);
  of.ops.note_answer(history_request, operation::get_health, 200, {}, base::steady_time{5us});
  of.restarts = 3;
  of.loops[1].stall.observe(500'000'000);
  of.waited_ns = 250'000'000;
  of.pass(history);
  const auto report = points_of(history);
  REQUIRE(report["points"].Size() == 1);
  const auto& point = report["points"][0];
  CHECK(number_at(point, "covers_ms") == 1'000);
  CHECK(number_at(point, "counts/actor_restarts") == 3);
  CHECK(number_at(point, "loops/1") == 0.5);
  REQUIRE(point["loops_waiting"].Size() == 2);
  CHECK(number_at(point, "loops_waiting/0") == 0.25);
  CHECK(number_at(point, "data_plane/requests") == 100);
  CHECK(number_at(point, "data_plane/answers/4xx") == 1);
  CHECK(number_at(point, "data_plane/latency_us/max") == 300'001);
  REQUIRE(point["operations"].Size() == 3);
  const auto& avatars = point["operations"][1];
  CHECK(text_at(avatars, "operation") == "list_avatars");
  CHECK(number_at(avatars, "answers/5xx") == 1);
  CHECK(number_at(avatars, "latency_us/p50") == Approx(2'000).epsilon(0.025));
  CHECK(number_at(avatars, "latency_us/max") == 173'000);
}

TEST_CASE("what was refused does not make an operation look quick") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 10; ++i)
    of.answer(2ms);
  for (int i = 0; i < 90; ++i)
    of.answer(1us, 429);
  of.pass(history);
  const auto report = points_of(history);
  const auto& plane = report["points"][0]["data_plane"];
  CHECK(number_at(plane, "requests") == 100);
  CHECK(number_at(plane, "latency_us/count") == 10);
  CHECK(number_at(plane, "latency_us/p50") == Approx(2'000).epsilon(0.025));
  CHECK(number_at(plane, "refusals_us/count") == 90);
  CHECK(number_at(plane, "refusals_us/max") == 1);
  const auto& avatars = report["points"][0]["operations"][0];
  CHECK(number_at(avatars, "answers/4xx") == 90);
  CHECK(number_at(avatars, "latency_us/count") == 10);
  of.answer(4ms);
  of.pass(history);
  actors::past_query by_second;
  by_second.step = 1s;
  const auto later = points_of(history, by_second);
  REQUIRE(later["points"].Size() == 2);
  const auto& next = later["points"][1]["data_plane"];
  CHECK(number_at(next, "latency_us/count") == 1);
  CHECK(number_at(next, "refusals_us/count") == 0);
}

TEST_CASE("unmatched requests count for the plane they were sent to") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int i = 0; i < 40; ++i)
    of.ops.note_answer(history_request, operation::unmatched, 404, {}, base::steady_time{1us});
  for (int i = 0; i < 10; ++i)
    of.answer(2ms, 200, operation::list_regions);
  of.answer(1us, 404, operation::unmatched);
  of.pass(history);
  const auto report = points_of(history);
  const auto& point = report["points"][0];
  CHECK(number_at(point, "data_plane/requests") == 11);
  CHECK(number_at(point, "data_plane/refusals_us/count") == 1);
  CHECK(number_at(point, "data_plane/latency_us/p50") == Approx(2'000).epsilon(0.025));
  REQUIRE(point["operations"].Size() == 3);
  const auto check = [&](unsigned index, const char* plane, int requests) {
    const auto& each = point["operations"][index];
    CHECK(text_at(each, "operation") == "unmatched");
    CHECK(text_at(each, "plane") == plane);
    CHECK(number_at(each, "requests") == requests);
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
  wanted.step = 3'600s;
  const auto report = points_of(history, wanted);
  std::uint64_t found = 0;
  for (const auto& point : report["points"].GetArray()) {
    if (point["data_plane"]["requests"].GetUint64() < all.size()) continue;
    found = point["data_plane"]["requests"].GetUint64();
    const auto& latency = point["data_plane"]["latency_us"];
    const auto exact = [&](double share) {
      return all[static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1];
    };
    CHECK(number_at(latency, "p50") == Approx(exact(0.5)).epsilon(0.03));
    CHECK(number_at(latency, "p99") == Approx(exact(0.99)).epsilon(0.03));
    CHECK(number_at(latency, "p99_9") == Approx(exact(0.999)).epsilon(0.03));
    CHECK(number_at(latency, "max") == all.back());
  }
  CHECK(found == all.size());
}

TEST_CASE("the last hour is kept by the second, the day before by the minute") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  for (int minute = 0; minute < 26 * 60; ++minute) {
    of.answer(1ms);
    of.clock.advance(59s);
    of.pass(history);
  }
  actors::past_query wanted;
  wanted.from_ms = 0;
  wanted.step = 3'600s;
  wanted.from_ms = of.clock.unix_ms() - milliseconds{30h}.count();
  const auto hours = points_of(history, wanted);
  std::uint64_t sum = 0;
  for (const auto& point : hours["points"].GetArray())
    sum += point["data_plane"]["requests"].GetUint64();
  CHECK(sum >= 24 * 60 - 2);
  CHECK(sum <= 24 * 60 + 61);
  wanted = {};
  wanted.last = 2h;
  const auto last = points_of(history, wanted);
  CHECK(number_at(last, "to") == of.clock.unix_ms());
  CHECK(number_at(last, "from") == of.clock.unix_ms() - 7'200'000);
  CHECK(number_at(last, "points/0/at") >= of.clock.unix_ms() - 7'200'000 - 60'000);
  CHECK(number_at(last, "points/0/at") <= of.clock.unix_ms() - 7'200'000 + 60'000);
  // Parts do not overlap, and nothing between them is lost.
  for (unsigned i = 1; i < hours["points"].Size(); ++i) {
    const auto& before = hours["points"][i - 1];
    CHECK(before["at"].GetInt64() + before["covers_ms"].GetInt64() ==
          hours["points"][i]["at"].GetInt64());
  }
}

TEST_CASE("beyond the memory limit, history becomes coarser, then is dropped") {
  service_history_bench of;
  const std::size_t limit = GENERATE(300'000U, 20'000U);
  service_history history{of.sources, of.clock, limit};
  std::mt19937_64 random{1};
  std::uint64_t sent = 0;
  const auto sum = [&] {
    actors::past_query wanted;
    wanted.step = 60s;
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

TEST_CASE("points keep the time of their measurement when the clock is set") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  const auto start_ms = of.clock.unix_ms();
  constexpr milliseconds hour = 1h;
  const auto pass = [&](int count) {
    for (int second = 0; second < count; ++second) {
      of.answer(1ms);
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
  CHECK(times(1min, 1s).first == list{0, 1'000, 4'000, 5'000});
  CHECK(times(2 * hour, 2s).first == list{0, 4'000, later + 2'000});
  CHECK(times(2 * hour, 3'600s).second == 6'000);
  of.pass(history, 4'000s); // the seconds go, their minutes stay
  CHECK(history.past(10s).end_ms - history.past(10s).begin_ms == 10'000);
  actors::past_query wanted;
  wanted.last = 2h;
  wanted.step = 60s;
  const auto report = points_of(history, wanted);
  std::int64_t last = 0;
  for (const auto& point : report["points"].GetArray()) {
    CHECK(number_at(point, "at") >= last);
    last = point["at"].GetInt64();
  }
  CHECK(number_at(report, "points/0/at") == start_ms);
}

TEST_CASE("after a clock was set back, the past goes on at once") {
  service_history_bench of;
  service_history history{of.sources, of.clock};
  of.loops[0].stall.observe(1'000'000'000);
  of.pass(history, 120s);
  of.clock.jump(-30min);
  for (int second = 0; second < 100; ++second) {
    of.answer(1ms);
    of.loops[0].stall.observe(500'000'000);
    of.pass(history);
  }
  const auto past = history.past(60s);
  CHECK(past.end_ms - past.begin_ms == 60'000);
  CHECK(past.sum_of(plane::data).requests() == 60);
  CHECK(past.busy_us.at(0) == 30'000'000);
  actors::past_query wanted;
  wanted.from_ms = of.clock.unix_ms() - 10'000;
  const auto report = points_of(history, wanted);
  REQUIRE(report["points"].Size() == 10);
  CHECK(number_at(report, "points/9/at") == of.clock.unix_ms() - 1'000);
}

TEST_CASE("too many points are refused with what to do") {
  service_history_bench of;
  const service_history history{of.sources, of.clock};
  actors::past_query wanted;
  wanted.step = 1s;
  CHECK(history.report(wanted));
  wanted.from_ms = of.clock.unix_ms() - milliseconds{2h}.count();
  const auto refused = history.report(wanted);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::errc::query_invalid);
  CHECK(contains(refused.error().detail, "longer `step`"));
}

} // namespace
} // namespace matchcloud::http
