#include "model/regions/measured_latency.hpp"

#include "model/text/unicode.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

namespace {

using namespace matchcloud;
using namespace matchcloud::model;

TEST_CASE("Measured latencies are ids with milliseconds") {
  using all = std::vector<measured_latency>;
  CHECK(read_measured_latencies("").value().empty());
  CHECK(read_measured_latencies("lon:23").value() == all{{"lon", 23}});
  CHECK(read_measured_latencies("lon:23,fra:31.5,iad:0").value() ==
        all{{"fra", 31.5}, {"iad", 0}, {"lon", 23}});
  CHECK(read_measured_latencies("a:60000").value() == all{{"a", 60'000}});
  // No region that is known here, but one may be called so: it is ignored later.
  CHECK(read_measured_latencies("no-such-9:1").value() == all{{"no-such-9", 1}});
}

TEST_CASE("Bad latencies are refused, naming the element") {
  for (const auto* bad : {"lon",
                          "lon:",
                          ":5",
                          "lon:-1",
                          "lon:+1",
                          "lon:1e3",
                          "lon:0x10",
                          "lon: 5",
                          "lon:5 ",
                          "lon:5ms",
                          "lon:.5",
                          "lon:5.",
                          "lon:1.2.3",
                          "lon:nan",
                          "lon:inf",
                          "lon:60000.1",
                          "lon:99999999999999999",
                          "lon:0.000000000000001",
                          "lon:1,",
                          ",lon:1",
                          "lon:1,,fra:2",
                          "lon:1;fra:2",
                          "lon:1,lon:2",
                          "lon::1",
                          "SYD:6",
                          "Not An Id:1",
                          "lon:5, syd:6",
                          " lon:5",
                          "lon :5",
                          "lon_1:5",
                          "l\xc3\xb6n:5",
                          "abcdefghijklmnopqrstuvwxyz0123456:1",
                          "lon:1,5"}) {
    INFO(bad);
    const auto read = read_measured_latencies(bad);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == base::errc::query_invalid);
    CHECK(read.error().detail.find("rtt=lon:23,fra:31.5") != std::string::npos);
  }
  CHECK(read_measured_latencies("fra:2,lon:x").error().detail.starts_with("`lon:x` in rtt "));
  const auto hidden = read_measured_latencies("fra:2,\x1b[2J\xff:x").error().detail;
  CHECK(hidden.starts_with("`\\u001b[2J"));
  CHECK(find_malformed_utf8(hidden) == std::string_view::npos);
}

TEST_CASE("As many regions may be measured as there is a limit for") {
  std::string text;
  for (std::size_t i = 0; i < measured_limit; ++i)
    text += (text.empty() ? "r" : ",r") + std::to_string(i) + ":1";
  CHECK(read_measured_latencies(text).value().size() == measured_limit);
  const auto beyond = read_measured_latencies(text + ",x:1");
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().detail.find("256") != std::string::npos);
}

TEST_CASE("Ordering by latency is stable and loses nothing") {
  REQUIRE(rc::check("order", [] {
    std::vector<std::string> names;
    for (int i = 0; i < *rc::gen::inRange(0, 12); ++i)
      names.push_back(std::string(1, static_cast<char>('a' + i)));
    const std::vector<std::string_view> ids{names.begin(), names.end()};
    std::vector<measured_latency> measured;
    for (char c = 'a'; c < 'p'; ++c)
      if (*rc::gen::arbitrary<bool>())
        measured.push_back({std::string(1, c), double(*rc::gen::inRange(0, 4))});
    auto order = order_by_latency(ids, measured);
    const auto latency = [&](std::size_t place) {
      for (const auto& each : measured)
        if (each.region_id == ids[place]) return each.milliseconds;
      return 1e9;
    };
    if (order.empty()) {
      for (std::size_t i = 0; i < ids.size(); ++i)
        RC_ASSERT(latency(i) == 1e9);
      return;
    }
    RC_ASSERT(order.size() == ids.size());
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto a = std::pair{latency(order[i - 1]), order[i - 1]};
      RC_ASSERT(a < (std::pair{latency(order[i]), order[i]}));
    }
  }));
}

} // namespace
