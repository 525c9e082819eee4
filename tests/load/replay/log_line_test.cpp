#include "load/replay.hpp"

#include "tests/catch.hpp"

namespace matchcloud::load {
namespace {

constexpr std::int64_t second_us = 1'795'663'243'000'000; // 2026-11-26T03:20:43Z

TEST_CASE("a line of the service's log in JSON is read; its time is when the request arrived",
          "[load]") {
  const auto read = parse_log_line(
      R"({"ts":"2026-11-26T03:20:43.123Z","request_id":"6b","client":"192.0.2.7","method":"GET",)"
      R"("target":"/matchmaker/regions?a=b","status":200,"bytes":812,"duration_us":85,)"
      R"("plane":"data","operation":"list_regions"})");
  REQUIRE(read);
  CHECK(read->at_us == second_us + 123'000 - 85);
  CHECK_FALSE(read->is_whole_second);
  CHECK(read->client == "192.0.2.7");
  CHECK(read->method == "GET");
  CHECK(read->target == "/matchmaker/regions?a=b");
  CHECK(read->status == 200);
  CHECK(read->operation == "list_regions");
  CHECK_FALSE(read->is_of_ops_plane);
}

TEST_CASE("a log cannot write to the terminal by the names of its operations", "[load]") {
  const auto read = parse_log_line(
      R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"/a","status":200,)"
      R"("operation":"\u001b[2J"})");
  REQUIRE(read);
  CHECK(read->operation.empty());
}

TEST_CASE("lines of the service, nginx and Apache in the combined format are read", "[load]") {
  for (const auto* const line :
       {R"(2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD /a?b=%20 HTTP/1.1" 304 0 "-" "-")",
        R"(2001:db8::1 - bob [26/Nov/2026:05:20:43 +0200] "HEAD /a?b=%20 HTTP/2.0" 304 0 )"
        R"("http://x/" "a \"b\" c")",
        R"(a:443 2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD /a?b=%20 HTTP/1.1" 304 0)",
        R"(2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD http://h:1/a?b=%20 HTTP/1.1" 304 0)",
        R"(2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD /a?b=%20 HTTP/1.0" 304 -)"}) {
    CAPTURE(line);
    const auto read = parse_log_line(line);
    REQUIRE(read);
    CHECK(read->at_us == second_us);
    CHECK(read->is_whole_second);
    CHECK(read->client == "2001:db8::1");
    CHECK(read->method == "HEAD");
    CHECK(read->target == "/a?b=%20");
    CHECK(read->status == 304);
  }
  CHECK(parse_log_line(R"(unix: - - [26/Nov/2026:03:20:43 +0000] "GET / HTTP/1.1" 200 0)")
            ->client.empty());
}

TEST_CASE("what is no line of an access log is not read", "[load]") {
  for (const auto* const line :
       {"", "hello", "{}", R"({"ts":"soon","method":"GET","target":"/","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"*","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"/ a","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"G T","target":"/","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"/","status":0})",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "\x16\x03\x01" 400 0 "-" "-")",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "GET /" 200 0 "-" "-")",
        R"(1.2.3.4 - - [26/Now/2026:03:20:43 +0000] "GET / HTTP/1.1" 200 0 "-" "-")",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "GET / HTTP/1.1)",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "GET / HTTP/1.1\)",
        R"(1.2.3.4 - - [26/Nov/2026)"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_log_line(line));
  }
}

} // namespace
} // namespace matchcloud::load
