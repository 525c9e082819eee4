#include "app/plans/plan_findings.hpp"

#include "tests/catch.hpp"

#include <cmath>
#include <string>

namespace matchcloud::app {
namespace {

using std::chrono::milliseconds;

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

TEST_CASE("what is no report is refused") {
  plan_findings all;
  for (const auto* text : {"", "7", "{}", R"({"intervals":7})", R"({"intervals":[]})"}) {
    CAPTURE(text);
    CHECK_FALSE(all.add_report(text, began));
  }
}

} // namespace
} // namespace matchcloud::app
