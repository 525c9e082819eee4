#include "load/charts/axis.hpp"

#include "tests/catch.hpp"

namespace matchcloud::load {
namespace {

using labels = std::vector<std::string>;

TEST_CASE("numbers have round marks from 0 to at least the greatest", "[load]") {
  const auto few = number_axis("errors", 17);
  CHECK(few.labels == labels{"0", "5", "10", "15", "20"});
  CHECK(few.high == 20);
  CHECK(few.part(10) == Approx(0.5));
  CHECK(few.part(-1) == 0);
  CHECK(few.part(30) == 1);
  CHECK(number_axis("", 24'500).labels == labels{"0", "5,000", "10k", "15k", "20k", "25k"});
  CHECK(number_axis("", 100).labels == labels{"0", "20", "40", "60", "80", "100"});
  CHECK(number_axis("", 0.3).high >= 0.3);
  const auto none = number_axis("", 0);
  CHECK(none.high > 0);
  CHECK(none.part(0) == 0);
}

TEST_CASE("time ends with the run, and has minutes where it is long", "[load]") {
  const auto few = time_axis("s", 32);
  CHECK(few.high == 32);
  CHECK(few.labels == labels{"0", "5", "10", "15", "20", "25", "30"});
  CHECK(time_axis("", 1).labels ==
        labels{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"});
  CHECK(time_axis("", 300).labels.at(3) == "1:30");
  CHECK(time_axis("", 100'000).labels.size() < 12);
}

TEST_CASE("latencies are on a logarithmic scale around what was measured", "[load]") {
  const auto some = latency_axis("latency", 63e3, 17e6);
  CHECK(some.low == 50e3);
  CHECK(some.high == 20e6);
  CHECK(some.labels.front() == "50 \u00b5s");
  CHECK(some.labels.back() == "20 ms");
  CHECK(some.part(1e6) == Approx(0.5).epsilon(0.01));
  const auto exact = latency_axis("", 1e5, 1e6);
  CHECK(exact.labels == labels{"100 \u00b5s", "200 \u00b5s", "500 \u00b5s", "1 ms"});
  // Over many powers of ten only these are marked.
  CHECK(latency_axis("", 1e3, 1e10).ticks.size() == 8);
  CHECK(latency_axis("", 5, 5).high > latency_axis("", 5, 5).low);
}

TEST_CASE("numbers and durations are short", "[load]") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(2.5) == "2.5");
  CHECK(short_number(1'234) == "1,234");
  CHECK(short_number(12'500) == "12.5k");
  CHECK(short_number(3'200'000) == "3.2M");
  CHECK(short_duration(999) == "999 ns");
  CHECK(short_duration(1.5e6) == "1.5 ms");
  CHECK(short_duration(2e9) == "2 s");
}

} // namespace
} // namespace matchcloud::load
