#include "model/net/http_url.hpp"

#include "model/net/content_part.hpp"
#include "model/net/url_parts.hpp"

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

TEST_CASE("a URL is cut at its scheme and at the end of its authority") {
  struct expectation {
    std::string_view url;
    std::string_view scheme;
    std::string_view authority;
    std::string_view rest;
  };
  for (const auto& [url, scheme, authority, rest] :
       {expectation{"http://a.example", "http", "a.example", ""},
        expectation{"HTTPS://u@a:1/b?c#d", "HTTPS", "u@a:1", "/b?c#d"},
        expectation{"x://[::1]?q", "x", "[::1]", "?q"}, expectation{"http://#f", "http", "", "#f"},
        expectation{"://", "", "", ""}, expectation{"a://b://c", "a", "b:", "//c"}}) {
    CAPTURE(url);
    const auto parts = split_url(url);
    REQUIRE(parts);
    CHECK(parts->scheme == scheme);
    CHECK(parts->authority == authority);
    CHECK(parts->rest == rest);
  }
  for (const std::string_view none : {"", "http:/a", "//a", "/a/b", "mailto:a@b", "*"})
    CHECK_FALSE(split_url(none));
}

TEST_CASE("a host is cut from its port, an address in brackets from what follows") {
  struct expectation {
    std::string_view text;
    std::string_view host;
    bool is_bracketed;
    std::optional<std::string_view> port;
  };
  for (const auto& [text, host, is_bracketed, port] :
       {expectation{"a", "a", false, std::nullopt}, expectation{"a:", "a", false, ""},
        expectation{"a:80", "a", false, "80"}, expectation{"", "", false, std::nullopt},
        expectation{":80", "", false, "80"}, expectation{"::1", "", false, ":1"},
        expectation{"[::1]", "::1", true, std::nullopt},
        expectation{"[::1]:8080", "::1", true, "8080"}, expectation{"[]", "", true, std::nullopt},
        expectation{"[::1]x", "::1", true, std::nullopt}}) {
    CAPTURE(text);
    const auto parts = split_host_and_port(text);
    REQUIRE(parts);
    CHECK(parts->host == host);
    CHECK(parts->is_bracketed == is_bracketed);
    CHECK(parts->port() == port);
  }
  CHECK(split_host_and_port("[::1]x")->behind == "x");
  CHECK_FALSE(split_host_and_port("[::1"));
}

TEST_CASE("the web's schemes are http and https, in any case") {
  CHECK(is_web_scheme("http"));
  CHECK(is_web_scheme("HTTPS"));
  CHECK_FALSE(is_web_scheme("ftp"));
  CHECK_FALSE(is_web_scheme(""));
}

TEST_CASE("a Content-Range is read exactly or not at all") {
  CHECK(parse_content_part("bytes 5-9/10") == content_part{5, 10, 10});
  CHECK(parse_content_part("bytes 0-18446744073709551613/18446744073709551615") ==
        content_part{0, 18'446'744'073'709'551'614U, 18'446'744'073'709'551'615U});
  for (const std::string wrong :
       {"", "bytes", "bytes */10", "bytes 5-9/*", "bytes 9-5/10", "bytes 5-10/10", "bytes 5-9",
        "bytes -5-9/10", "items 5-9/10", "bytes 5-9/10 ", "bytes 1-2", "bytes -1-2/3",
        "bytes 5/9-10", "bytes 0-18446744073709551615/18446744073709551616"})
    CHECK_FALSE(parse_content_part(wrong).has_value());
}

} // namespace
} // namespace matchcloud::model
