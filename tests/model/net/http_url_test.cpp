#include "model/net/http_url.hpp"

#include "tests/catch.hpp"

namespace matchcloud::model {
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

} // namespace
} // namespace matchcloud::model
