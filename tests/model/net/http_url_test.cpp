#include "model/net/http_url.hpp"

#include "tests/catch.hpp"

#include <string>

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

TEST_CASE("a ping URL is https, or of the machine itself") {
  for (const std::string good :
       {"https://lon.example/ping", "HTTPS://Lon.Example:8443/ping?x=1", "https://81.2.69.142/",
        "https://[2001:db8::1]:443/ping", "http://127.0.0.1:8080/ping", "http://localhost/ping",
        "http://[::1]:8080/ping"})
    CHECK(is_ping_url(good));
  for (const std::string bad :
       {"", "lon.example", "http://lon.example/ping", "https://user:secret@lon.example/",
        "https://lon.example/#x", "javascript:alert(1)", "https://", "https://*.example/",
        "https://lon.example;script-src/", "https://a b/", "wss://lon.example/",
        "https://lon.example:99999/", "http://127.0.0.1.evil.example/"})
    CHECK_FALSE(is_ping_url(bad));
  CHECK(is_ping_url("https://lon.example/" + std::string(ping_url_limit_bytes - 20, 'a')));
  CHECK_FALSE(is_ping_url("https://lon.example/" + std::string(ping_url_limit_bytes - 19, 'a')));
}

TEST_CASE("the origin of a ping URL is as a browser writes it") {
  CHECK(origin_of("HTTPS://Lon.Example:8443/ping?x=1") == "https://lon.example:8443");
  CHECK(origin_of("https://lon.example:443/ping") == "https://lon.example");
  CHECK(origin_of("http://[::1]:8080/ping") == "http://[::1]:8080");
}

} // namespace
} // namespace matchcloud::model
