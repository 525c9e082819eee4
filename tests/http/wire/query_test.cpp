#include "http/wire/request.hpp"

#include "tests/catch.hpp"

namespace {

using matchcloud::http::find_parameter;

TEST_CASE("a query's parameter is found by its whole name") {
  CHECK(find_parameter("rtt=a:1", "rtt").value == "a:1");
  CHECK(find_parameter("x=1&rtt=a:1&y=2", "rtt").value == "a:1");
  CHECK(find_parameter("rtt=", "rtt").value == "");
  CHECK(find_parameter("rtt", "rtt").value == "");
  CHECK(find_parameter("rtt=a=b", "rtt").value == "a=b");
  CHECK_FALSE(find_parameter("", "rtt").value);
  CHECK_FALSE(find_parameter("rttx=1&xrtt=2&RTT=3&=rtt", "rtt").value);
}

TEST_CASE("a parameter that is there twice is said to be") {
  CHECK_FALSE(find_parameter("rtt=1&x=2", "rtt").repeated);
  const auto twice = find_parameter("rtt=1&x=2&rtt=3", "rtt");
  CHECK(twice.repeated);
  CHECK(twice.value == "1");
}

} // namespace
