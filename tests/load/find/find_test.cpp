#include "load/find.hpp"

#include "base/failure.hpp"
#include "load/report.hpp"
#include "load/run.hpp"
#include "load/text.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/load/servers.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;

options searching(const std::string& url, const std::string& promise) {
  options made;
  made.url = url;
  made.mix = single_mix("regions");
  made.connections = 64;
  made.promised = parse_assertions(promise);
  made.open_loop = arrivals::shape{arrival_kind::constant, 400, 0ns};
  return made;
}

found_capacity found_by(const options& of) {
  const cli::interrupt signals;
  return find_capacity(of, [&](const load::options& with) { return run(with, signals); });
}

/// What a run measures at a server that serves one request after the other, `capacity` in a second,
/// where nothing else takes time.
results simulated(const options& with, double capacity) {
  results made;
  made.seconds = std::chrono::duration<double>{with.duration}.count();
  arrivals requests{*with.open_loop, 0.5, with.seed};
  const std::chrono::nanoseconds service{static_cast<std::int64_t>(1e9 / capacity)};
  std::chrono::nanoseconds free{0};
  for (auto due = requests.next(); due < with.duration; due = requests.next()) {
    free = std::max(free, due) + service;
    made.all.latency.record(static_cast<std::uint64_t>((free - due).count()));
    ++made.all.sent;
    ++made.all.answered;
  }
  return made;
}

TEST_CASE("the capacity is exact where nothing disturbs", "[load]") {
  const auto kind = GENERATE(arrival_kind::constant, arrival_kind::poisson);
  const auto capacity = GENERATE(900.0, 12'345.0, 77.0);
  // A hundred requests may wait; random arrivals have such queues at 2 % below the capacity.
  const auto wait_us = std::to_string(std::llround(1e8 / capacity));
  auto options = searching("http://127.0.0.1:1", "p99<" + wait_us + "us,errors=0");
  options.open_loop->kind = kind;
  options.duration = 60s;
  const auto found = find_capacity(
      options, [&](const load::options& with) -> results { return simulated(with, capacity); });
  INFO(find_report(options, found));
  CHECK(found.kept_rate == Approx(capacity).epsilon(kind == arrival_kind::constant ? 0.05 : 0.1));
  CHECK(found.broken_rate <= found.kept_rate * 1.031);
  CHECK(found.gave_way == "server");
  CHECK(found.gave_way_reason.starts_with("p99<"));
  CHECK(found.cut_short.empty());
  CHECK(found.broken_rate > found.kept_rate);
  CHECK(found.shown_options.open_loop->rate == found.kept_rate);
}

TEST_CASE("the search says if the program itself limited the rate", "[load]") {
  auto options = searching("http://127.0.0.1:1", "p99<1ms");
  const auto found = find_capacity(options, [&](const load::options& with) -> results {
    auto made = simulated(with, 5'000);
    made.busiest_thread_percent = with.open_loop->rate > 5'000 ? 99 : 50;
    return made;
  });
  CHECK(found.gave_way == "generator");
  CHECK(found.doubt == "the generator gave way before the server");
  CHECK(find_report(options, found).find("found       cannot tell: the generator gave way") !=
        std::string::npos);
  CHECK(found.gave_way_reason.find("This program: its busiest thread was busy 99 %") !=
        std::string::npos);
}

TEST_CASE("few requests say nothing about rare ones, and a curve must not contradict itself",
          "[load]") {
  auto options = searching("http://127.0.0.1:1", "p99.99<1s,errors=0");
  options.duration = 500ms;
  auto found = find_capacity(
      options, [](const load::options& with) -> results { return simulated(with, 900); });
  CHECK(found.doubt == "too few requests for p99.99; use a longer --duration");
  options = searching("http://127.0.0.1:1", "p100<1s,errors=0");
  options.duration = 500ms;
  found = find_capacity(options,
                        [](const load::options& with) -> results { return simulated(with, 900); });
  CHECK(found.kept_rate > 0);
  CHECK(found.doubt.empty());
  options = searching("http://127.0.0.1:1", "p50<1s,errors=0");
  options.duration = 500ms;
  int runs = 0;
  found = find_capacity(options, [&](const load::options& with) -> results {
    return simulated(with, ++runs < 4 ? 1'000'000 : 1);
  });
  CHECK(found.doubt.find("/s kept the promise that ") != std::string::npos);
}

TEST_CASE("a search says where it could not find anything", "[load]") {
  delayed_server server{ok_reply(good_listing), 3ms};
  auto options = searching(server.url(), "p50<1ms");
  options.duration = 20ms;
  const auto found = found_by(options);
  CHECK(found.kept_rate == 0);
  CHECK(found.problem == "no rate was found that keeps the promise of --find");
  CHECK(find_report(options, found).find("found       no rate kept p50<1ms") != std::string::npos);
}

TEST_CASE("a search ends in time, with what is known by then", "[load]") {
  const delayed_server server{ok_reply(good_listing)};
  auto options = searching(server.url(), "errors=0");
  options.duration = 50ms;
  options.find_limit = 10ms;
  const auto found = found_by(options);
  CHECK(found.steps.size() == 1);
  CHECK(found.kept_rate == 400);
  CHECK(found.cut_short == "--find-limit was reached");
  model::json_writer json;
  json.object();
  write_find(json, options, found);
  json.end_object();
  const auto written = e2e::parse_json(json.take());
  const auto& find = written["find"];
  CHECK(find["rate"].GetDouble() == 400);
  CHECK(find["broken_rate"].GetDouble() == 0);
  REQUIRE(find["curve"].Size() == 1);
  CHECK(find["curve"][0]["kept"].GetBool());
  CHECK(find["curve"][0]["p99_us"].GetDouble() > 0);
}

TEST_CASE("a search whose server is gone keeps what it measured", "[load]") {
  const auto options = searching("http://127.0.0.1:1", "p99<1s,errors=0");
  int runs = 0;
  const auto measure = [&](const load::options& with) -> results {
    if (++runs == 3) throw base::failure{base::errc::io_failed, "h:1 cannot be reached: refused"};
    return simulated(with, 5'000);
  };
  const auto found = find_capacity(options, measure);
  CHECK(found.steps.size() == 2);
  CHECK(found.kept_rate == 800);
  CHECK(found.problem == "h:1 cannot be reached: refused");
  CHECK(find_report(options, found)
            .find("cut short   the next measurement failed: h:1 cannot be reached") !=
        std::string::npos);
  runs = 2;
  CHECK_THROWS_AS(find_capacity(options, measure), base::failure);
}

TEST_CASE("the network limits a run if it lost segments", "[load]") {
  results of;
  of.all.sent = of.all.answered = 1'000;
  of.resent_segments = 10;
  CHECK(limit_of(of).of == limit::place::none);
  of.resent_segments = 11;
  CHECK(limit_of(of).of == limit::place::network);
  CHECK(limit_of(of).reason.starts_with("the network: 11 TCP segments"));
}

/// Searches with measurements of which a part (0 to 1) says the opposite of what is true.
std::size_t search(capacity_search& which, double capacity, double wrong = 0,
                   std::uint64_t seed = 1) {
  std::mt19937_64 engine{seed};
  std::bernoulli_distribution lies{wrong};
  std::size_t steps = 0;
  for (; const auto rate = which.next(); ++steps)
    which.note((*rate <= capacity) != lies(engine));
  return steps;
}

TEST_CASE("the search finds any capacity within its precision", "[load]") {
  for (const double capacity : {1.5, 7.0, 333.0, 999.0, 1'000.0, 12'345.0, 3'000'000.0}) {
    CAPTURE(capacity);
    capacity_search which{{}};
    CHECK(search(which, capacity) <= 40);
    CHECK(which.is_narrow());
    CHECK(which.kept() <= capacity);
    CHECK(which.broken() > capacity);
    CHECK(which.broken() <= which.kept() * 1.03 + 0.01);
  }
}

TEST_CASE("a wrong measurement now and then does not decide", "[load]") {
  int near = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    capacity_search which{{}};
    search(which, 5'000, 0.05, seed);
    near += which.kept() > 5'000 * 0.95 && which.kept() < 5'000 * 1.05 ? 1 : 0;
  }
  // With one measurement for each decision it would be half of them.
  CHECK(near >= 160);
}

TEST_CASE("one broken measurement is repeated", "[load]") {
  capacity_search which{{}};
  REQUIRE(which.next() == 1'000);
  which.note(false);
  REQUIRE(which.next() == 1'000);
  which.note(true);
  REQUIRE(which.next() == 1'000);
  which.note(true);
  CHECK(which.kept() == 1'000);
  CHECK(which.next() == 2'000);
}

TEST_CASE("a search without a bound below or above ends", "[load]") {
  capacity_search none{{}};
  CHECK(search(none, 0) < 30);
  CHECK(none.kept() == 0);
  CHECK(none.broken() == 1);
  CHECK_FALSE(none.is_narrow());
  capacity_search all{{}};
  CHECK(search(all, 1e12) < 30);
  CHECK(all.kept() == 10'000'000);
  CHECK(all.broken() == 0);
  CHECK_FALSE(all.is_narrow());
}

TEST_CASE("a search takes a bounded number of measurements", "[load]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    capacity_search which{{.steps = 25}};
    CHECK(search(which, 7'000, 0.5, seed) <= 25);
  }
}

} // namespace
} // namespace matchcloud::load
