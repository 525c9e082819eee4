#include "model/regions/measured_latency.hpp"

#include "tests/catch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace {

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

TEST_CASE("Of many mistakes ten are named") {
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
