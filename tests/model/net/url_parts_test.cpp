#include "model/net/url_parts.hpp"

#include "tests/catch.hpp"

namespace matchcloud::model {
namespace {

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

} // namespace
} // namespace matchcloud::model
