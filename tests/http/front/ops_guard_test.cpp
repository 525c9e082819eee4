#include "http/front/ops_guard.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::http {
namespace {

request from(std::string_view host, std::string_view origin = {}) {
  request made;
  made.method = method::get;
  made.target = "/healthz";
  made.set(header::host, host);
  if (!origin.empty()) made.set(header::origin, origin);
  return made;
}

TEST_CASE("a host is the ops plane's own where no name was resolved to reach it") {
  for (const std::string host :
       {"localhost", "LocalHost", "LOCALHOST:8081", "127.0.0.1", "127.0.0.1:1", "10.1.2.3:80",
        "[::1]", "[::1]:8081", "[2001:db8::1]:65535"}) {
    CAPTURE(host);
    CHECK(is_own_host(host));
  }
  for (const std::string host :
       {"", "localhost.", "localhost.evil.example", "evil.example", "evil.example:8081",
        "localhost:", "localhost:80a", "localhost:123456", "localhost:80:80",
        "127.0.0.1.evil.example", "::1", "[127.0.0.1]", "[::1", "[::1]8081", "[localhost]", "127.1",
        "0x7f000001", "2130706433"}) {
    CAPTURE(host);
    CHECK_FALSE(is_own_host(host));
  }
}

TEST_CASE("a page is let in where it is of the ops plane itself") {
  CHECK_FALSE(check_operator(from("localhost:8081")));
  CHECK_FALSE(check_operator(from("localhost:8081", "http://localhost:8081")));
  CHECK_FALSE(check_operator(from("LocalHost:8081", "HTTP://localhost:8081")));
  for (const std::string origin :
       {"null", "http://localhost", "http://localhost:8082", "https://localhost:8081",
        "http://127.0.0.1:8081", "http://localhost:8081/", "http://localhost:8081.evil.example",
        "http://localhost:8081, http://evil.example"}) {
    CAPTURE(origin);
    const auto why = check_operator(from("localhost:8081", origin));
    REQUIRE(why);
    CHECK(why->code == base::errc::origin_not_allowed);
  }
  const auto rebound = check_operator(from("evil.example", "http://evil.example"));
  REQUIRE(rebound);
  CHECK(rebound->code == base::errc::host_not_allowed);
}

} // namespace
} // namespace matchcloud::http
