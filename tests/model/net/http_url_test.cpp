#include "model/net/http_url.hpp"

#include "app/client/http_answer.hpp"
#include "cli/progress_display.hpp"
#include "tests/catch.hpp"

namespace matchcloud::app {
namespace {

TEST_CASE("a URL comes apart into what a client needs") {
  CHECK(parse_http_url("http://a.example") == http_url{false, "a.example", 80, "/"});
  CHECK(parse_http_url("HTTPS://my_host:8443/mm/") == http_url{true, "my_host", 8443, "/mm/"});
  CHECK(parse_http_url("https://[2001:DB8::a]/x?a=b%2F+c&d") ==
        http_url{true, "2001:DB8::a", 443, "/x?a=b%2F+c&d"});
  CHECK(parse_http_url("http://127.0.0.1:1?a") == http_url{false, "127.0.0.1", 1, "/?a"});
}

TEST_CASE("a URL shows its host as it is asked for, and no query") {
  const auto shown = [](const char* url) { return parse_http_url(url)->shown(); };
  CHECK(shown("https://a.example:443/x?signature=s") == "https://a.example/x");
  CHECK(shown("http://[::1]:8080") == "http://[::1]:8080/");
  CHECK(parse_http_url("http://a:443")->authority() == "a:443");
}

TEST_CASE("what is no http URL is refused with the reason") {
  for (const std::string wrong :
       {"", "a.example", "ftp://a", "http:/a", "http://", "http:///x", "http://a:", "http://a:0",
        "http://a:65536", "http://a:8x", "http://[::1", "http://[a.example]", "http://[::1]8",
        "http://u@a", "http://a/#f", "http://a/ b", "http://a/\r\nX: y", "http://a\x80",
        "http://[]/"}) {
    INFO(wrong);
    const auto url = parse_http_url(wrong);
    REQUIRE_FALSE(url.has_value());
    CHECK_FALSE(url.error().detail.empty());
  }
}

TEST_CASE("a Content-Range is read exactly or not at all") {
  CHECK(parse_content_part("bytes 5-9/10") == content_part{5, 10, 10});
  CHECK(parse_content_part("bytes 0-18446744073709551613/18446744073709551615") ==
        content_part{0, 18'446'744'073'709'551'614U, 18'446'744'073'709'551'615U});
  for (const std::string wrong :
       {"", "bytes", "bytes */10", "bytes 5-9/*", "bytes 9-5/10", "bytes 5-10/10", "bytes 5-9",
        "bytes -5-9/10", "items 5-9/10", "bytes 5-9/10 ", "bytes 5/9-10",
        "bytes 0-18446744073709551615/18446744073709551616"})
    CHECK_FALSE(parse_content_part(wrong).has_value());
}

TEST_CASE("a line of progress tells count, speed and percent") {
  CHECK(progress_line("lobbies", progress_rate::megabytes, 1'200, 4'600'000, 9'200'000, 2) ==
        "1200 lobbies, 2.3 MB/s, 50 %");
  CHECK(progress_line("lobbies", progress_rate::megabytes, 1, 100'000'000, {}, 1) ==
        "1 lobbies, 100.0 MB/s");
  CHECK(progress_line("lines checked", progress_rate::counted, 30, 7, 0, 10) ==
        "30 lines checked, 3/s");
}

} // namespace
} // namespace matchcloud::app
