#include "app/plans/load_report.hpp"

#include "tests/catch.hpp"

namespace matchcloud::app {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view report =
    R"({"sent":20,"answered":17,"errors":{"total":3,"unavailable":2,"reset":1},)"
    R"("by_status":{"200":15,"503":2},)"
    R"("first_errors":{"reset":"connection reset"},"latency_us":{"p99":80.5,"max":100},)"
    R"("intervals":[{"seconds":1.000,"sent":10,"answered":10,"errors":0,"p50_us":40.0,)"
    R"("p99_us":60.0,"max_us":70.0},{"seconds":1.500,"sent":10,"answered":7,"errors":3,)"
    R"("p50_us":50.0,"p99_us":80.5,"max_us":100.0}]})";

TEST_CASE("reports of several loads add up, each from its own begin") {
  load_report all;
  REQUIRE(add_report(all, report, milliseconds{0}));
  REQUIRE(add_report(all, report, milliseconds{2'000}));
  CHECK(all.sent == 40);
  CHECK(all.answered == 34);
  CHECK(all.error("total") == 6);
  CHECK(all.error("timeout") == 0);
  CHECK(all.by_status.at("503") == 4);
  CHECK(all.errors_not_retryable() == 2);
  CHECK(all.latency_us.at("p99") == 80.5);
  CHECK(all.examples.front() == "reset: connection reset");
  REQUIRE(all.seconds.size() == 4);
  CHECK(all.seconds[1].begin == milliseconds{1'000});
  CHECK(all.seconds[1].end == milliseconds{1'500});
  CHECK(all.seconds[2].begin == milliseconds{2'000});
  CHECK(all.seconds[3].errors == 3);
  CHECK(all.seconds[3].p99_us == 80.5);
}

TEST_CASE("what is no report is refused") {
  load_report all;
  for (const auto* text : {"", "7", "{}", R"({"intervals":7})"}) {
    CAPTURE(text);
    CHECK_FALSE(add_report(all, text, milliseconds{0}));
  }
}

} // namespace
} // namespace matchcloud::app
