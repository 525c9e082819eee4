#include "model/regions/measured_latency.hpp"

#include "model/text/unicode.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

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

TEST_CASE("At most 256 regions may be measured") {
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

using namespace matchcloud;
using model::measured_latency;

constexpr std::size_t depth = 4;

std::string refusal(std::string_view body) {
  const auto read = model::read_latency_body(body, depth);
  return read ? std::string{"taken"} : base::to_string(read.error());
}

TEST_CASE("A report is read in the order of regions' ids") {
  const auto read = model::read_latency_body(
      R"({"latencies": {"lon": 23.1, "fra": 31, "ams": 0, "syd": 6e4, "a-1": 1e-7}})", depth);
  REQUIRE(read);
  CHECK(*read == std::vector<measured_latency>{
                     {"a-1", 1e-7}, {"ams", 0}, {"fra", 31}, {"lon", 23.1}, {"syd", 60'000}});
}

TEST_CASE("What is wrong with a report says which region, and what is allowed") {
  for (const auto& [body, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"latencies": {"lon": null}})", "`latencies` has `lon`, which must be a number"},
           {R"({"latencies": {"lon": 60000.1}})", "is `60000.1`, but must be 0 to 60000"},
           {R"({"latencies": {"": 1}})", "`latencies` has `\"\"`, which is not a region id"},
           {R"({"latencies": {"lon": 1, "lon": 1}})", "which appears twice"},
           {R"({"latencies": 23})", "`latencies` must be an object"},
           {R"({"latencies": {}})", "`latencies` is empty"},
           {R"({})", "`latencies` is required"},
           {R"({"latencies": {"lon": 1}, "rtt": {}})", "`rtt`"}}) {
    CAPTURE(body);
    CHECK(refusal(body).find(part) != std::string::npos);
  }
  CHECK(refusal(R"({"latencies": {"lon": 1}})") == "taken");
}

TEST_CASE("Of many mistakes in a report, the first ten are named") {
  std::string body = R"({"latencies": {)";
  for (int i = 0; i < 50; ++i)
    body += (i == 0 ? "\"r" : ",\"r") + std::to_string(i) + "\": -1";
  const auto said = refusal(body + "}}");
  CHECK(said.find("`r9`") != std::string::npos);
  CHECK(said.find("`r10`") == std::string::npos);
}

TEST_CASE("A report is bounded in depth and in regions") {
  CHECK(refusal(R"({"latencies": {"lon": [[[[1]]]]}})") != "taken");
  std::string body = R"({"latencies": {)";
  for (std::size_t i = 0; i <= model::measured_limit; ++i)
    body += (i == 0 ? "\"r" : ",\"r") + std::to_string(i) + "\": 1";
  CHECK(refusal(body + "}}").find("257 regions, but at most 256") != std::string::npos);
}

} // namespace
