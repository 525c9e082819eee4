#include "app/plans/plan_check.hpp"

#include "app/plans/plan_check.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {
namespace {

using std::chrono::milliseconds;

constexpr plan_moments usual_moments{milliseconds{1'000}, milliseconds{3'300}, milliseconds{3'300}};

/// Four seconds of a plan: quiet, two bad ones, quiet again.
plan_findings findings() {
  plan_findings made;
  made.counts = {{"sent", 400}, {"answered", 397},      {"status.200", 395}, {"status.507", 2},
                 {"hits", 7},   {"hits.store.read", 5}, {"restarts", 2}};
  made.errors = {{"total", 3}, {"unavailable", 2}, {"reset", 1}};
  // 397 answers, the mean of which is 1.5 ms.
  made.histogram = {{371.2, 392}, {90'000, 5}};
  const auto add = [&](int second, double errors, double p99_us) {
    made.seconds.push_back({milliseconds{second * 1'000},
                            milliseconds{second * 1'000 + 1'000},
                            {{"sent", 100},
                             {"answered", 100 - errors},
                             {"errors", errors},
                             {"p50_us", 1'000},
                             {"p99_us", p99_us},
                             {"max_us", p99_us * 2}}});
  };
  add(0, 0, 2'000);
  add(1, 1, 50'000);
  add(2, 2, 90'000);
  add(3, 0, 40'000);
  add(4, 0, 3'000);
  return made;
}

check_result verdict_on(std::string_view text) {
  const auto check = parse_check(text, usual_moments);
  INFO((check ? std::string{} : check.error().detail));
  REQUIRE(check);
  CHECK(check->text == text);
  return check->judge(findings());
}

TEST_CASE("no check of the load holds where nothing was sent") {
  for (const auto* const text : {"errors = 0", "max < 1s", "errors_not_retryable = 0"})
    CHECK(parse_check(text, usual_moments)->judge({}).seen == "nothing was sent");
  CHECK_FALSE(parse_check("errors = 0", usual_moments)->judge({}).holds);
  CHECK(parse_check("hits = 0", usual_moments)->judge({}).holds);
}

TEST_CASE("checks of the whole plan compare what was counted and measured") {
  const std::vector<std::pair<std::string, std::string>> hold{
      {"errors = 3", "3"},          {"errors_not_retryable = 1", "1"},
      {"reset < 2", "1"},           {"closed = 0", "0"},
      {"sent >= 400", "400"},       {"answered != 400", "397"},
      {"p99 <= 90ms", "90.00 ms"},  {"p99<91 ms", "90.00 ms"},
      {"mean > 1.4ms", "1.50 ms"},  {"hits > 0", "7"},
      {"restarts = 2", "2"},        {"status.507 = 2", "2"},
      {"status.503 = 0", "0"},      {"hits.store.read = 5", "5"},
      {"hits.store.write = 0", "0"}};
  for (const auto& [text, seen] : hold) {
    CAPTURE(text);
    const auto result = verdict_on(text);
    CHECK(result.holds);
    CHECK(result.seen == seen);
  }
  for (const auto* text : {"errors = 0", "p99 < 90ms", "hits < 7", "restarts > 2"})
    CHECK_FALSE(verdict_on(text).holds);
}

TEST_CASE("checks of a span look at the seconds that lie wholly in it") {
  CHECK(verdict_on("errors = 3 while injected").holds);
  CHECK(verdict_on("errors = 0 from 3s").holds);
  CHECK(verdict_on("errors = 0 until 1.3s").seen == "0 in 1 second");
  CHECK(verdict_on("p99 = 90ms while injected").seen == "90.00 ms in the worst of 2 seconds");
  CHECK(verdict_on("p99 < 4ms from 500 ms after healing").seen ==
        "3.00 ms in the worst of 1 second");
  CHECK(verdict_on("max < 7ms from 500ms after healing").holds);
  CHECK(verdict_on("answered = 100 from healing").holds);
  CHECK(verdict_on("sent = 200 from 1s until healing").holds);
  // The second from 3 s on begins before the fault was healed.
  CHECK(verdict_on("p99 > 3ms from healing").holds == false);
  const auto nothing = verdict_on("p99 < 1s from 10s");
  CHECK_FALSE(nothing.holds);
  CHECK(nothing.seen == "that span contains no second with answers");
}

TEST_CASE("seconds of which half is while a fault is injected count, at both ends") {
  auto seen = findings();
  // As if the load had begun 20 ms after the plan, and a rule of 3 s had ended by itself.
  for (auto& each : seen.seconds) {
    each.begin += milliseconds{20};
    each.end += milliseconds{20};
  }
  constexpr plan_moments those{milliseconds{1'000}, milliseconds{5'000}, milliseconds{4'000}};
  CHECK(parse_check("sent = 300 while injected", those)->judge(seen).seen == "300 in 3 seconds");
  CHECK(parse_check("p99 < 1s while injected", those)->judge(seen).seen ==
        "90.00 ms in the worst of 3 seconds");
}

TEST_CASE("without answers no check of a latency holds") {
  plan_findings nothing;
  CHECK_FALSE(parse_check("p99 < 1s", usual_moments)->judge(nothing).holds);
}

TEST_CASE("a text that is not a check is refused with what to write") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "cannot be checked. Allowed: p50"},
      {"erors = 0", "Did you mean `errors`?"},
      {"errors", "Use one of <, <=, =, !=, >=, > and a number."},
      {"errors == 0", "`==` follows `errors`"},
      {"errors = x", "compared with a number such as 0"},
      {"p99 < 10", "compared with a time such as 10ms"},
      {"p99 < fast", "compared with a time"},
      {"p99 < 10ms after healing", "`from ..`, `until ..` or `while injected`"},
      {"p99 < 10ms while bad", "while injected"},
      {"p99 < 10ms from", "A moment is missing"},
      {"p99 < 10ms from 5s after dinner", "`after injecting` or `after healing`"},
      {"hits.store.raed > 0", "cannot be checked"},
      {"hits > 0 while injected", "known only for the whole plan"},
      {"p99.9 < 1s from 1s", "one of p50, p99, max"}};
  for (const auto& [text, says] : cases) {
    CAPTURE(text);
    const auto check = parse_check(text, usual_moments);
    REQUIRE_FALSE(check);
    CAPTURE(check.error().detail);
    CHECK(check.error().code == base::errc::config_invalid);
    CHECK(check.error().detail.find(says) != std::string::npos);
  }
}

/// When the load of `report` began, since 1970.
constexpr milliseconds began{1'700'000'000'500};
constexpr std::string_view report =
    R"({"began":1700000000500,"sent":20,"answered":17,)"
    R"("errors":{"total":3,"unavailable":2,"reset":1},)"
    R"("by_status":{"200":15,"503":2},)"
    R"("first_errors":{"reset":"connection reset"},"histogram":[[50,10],[80.5,10]],)"
    R"("intervals":[{"begins":0.000,"seconds":1.000,"sent":10,"answered":10,"errors":0,)"
    R"("p50_us":40.0,"p99_us":60.0,"max_us":70.0},)"
    R"({"begins":1.000,"seconds":1.500,"sent":10,"answered":7,"errors":3,)"
    R"("p50_us":50.0,"p99_us":80.5,"max_us":100.0}]})";

TEST_CASE("reports of several loads add up, each from its own begin") {
  plan_findings all;
  REQUIRE(all.add_report(report, began));
  REQUIRE(all.add_report(report, began - milliseconds{2'000}));
  CHECK(all.count("sent") == 40);
  CHECK(all.count("answered") == 34);
  CHECK(all.count("errors") == 6);
  CHECK(all.count("timeout") == 0);
  CHECK(all.count("status.503") == 4);
  CHECK(all.count("errors_not_retryable") == 2);
  CHECK(all.latency_us("p99") == 80.5);
  CHECK(all.examples.at("reset") == "reset: connection reset");
  REQUIRE(all.seconds.size() == 4);
  CHECK(all.seconds[1].begin == milliseconds{1'000});
  CHECK(all.seconds[1].end == milliseconds{1'500});
  CHECK(all.seconds[2].begin == milliseconds{2'000});
  CHECK(all.seconds[3].values.at("errors") == 3);
  CHECK(all.seconds[3].values.at("p99_us") == 80.5);
}

TEST_CASE("percentiles of several loads are those of all their requests") {
  const auto with = [](const std::string& histogram) {
    return R"({"intervals":[],"histogram":)" + histogram + "}";
  };
  plan_findings all;
  CHECK_FALSE(all.latency_us("p50"));
  REQUIRE(all.add_report(with("[[150,5940],[400,60]]"), began));
  REQUIRE(all.add_report(with("[[60000,100],[71000,20]]"), began));
  CHECK(all.latency_us("p90") == 150);
  CHECK(all.latency_us("p97") == 150);
  CHECK(all.latency_us("p98") == 400);
  CHECK(all.latency_us("p99") == 60'000);
  CHECK(all.latency_us("p99.9") == 71'000);
  CHECK(all.latency_us("p100") == 71'000);
  CHECK(all.latency_us("max") == 71'000);
  CHECK(std::llround(*all.latency_us("mean")) == 1'362);
}

TEST_CASE("a text that is not a report is refused") {
  plan_findings all;
  for (const auto* text : {"", "7", "{}", R"({"intervals":7})", R"({"intervals":[]})"}) {
    CAPTURE(text);
    CHECK_FALSE(all.add_report(text, began));
  }
}

} // namespace
} // namespace matchcloud::app
