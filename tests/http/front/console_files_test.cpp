#include "http/front/static_content.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"

namespace matchcloud::http {
namespace {

request asking_console(std::string if_none_match = {}, std::string accept_encoding = {}) {
  request made;
  made.method = method::get;
  if (!if_none_match.empty()) made.set(header::if_none_match, std::move(if_none_match));
  if (!accept_encoding.empty()) made.set(header::accept_encoding, std::move(accept_encoding));
  return made;
}

TEST_CASE("static content is answered plain, compressed or as known, each with its own ETag") {
  const std::string text(5'000, 'a');
  const auto content = make_static_content("text/css", text);
  REQUIRE(content->gzip);
  CHECK(fixtures::inflated(*content->gzip) == text);
  const auto plain = static_response(asking_console(), *content, "");
  CHECK(plain.status == 200);
  CHECK(plain.body_bytes() == text);
  CHECK(plain.headers == "Vary: Accept-Encoding\r\nETag: \"" + content->digest + "\"\r\n");
  const auto small = static_response(asking_console({}, "gzip"), *content, "");
  CHECK(small.body_bytes() == *content->gzip);
  CHECK(small.headers.find("-gzip\"\r\nContent-Encoding: gzip\r\n") != std::string::npos);
  CHECK(static_response(asking_console('"' + content->digest + '"'), *content, "").status == 304);
  CHECK(static_response(asking_console('"' + content->digest + '"', "gzip"), *content, "").status ==
        200);
}

TEST_CASE("what does not get smaller is not compressed") {
  const auto content = make_static_content("text/css", "a");
  CHECK_FALSE(content->gzip);
  CHECK(static_response(asking_console({}, "gzip"), *content, "").body_bytes() == "a");
}

TEST_CASE("the console's policy names the places to ping and nothing else beyond itself") {
  const auto policy = console_policy(" https://lon.example https://fra.example:8443");
  CHECK(policy.find("default-src 'none'") == 0);
  CHECK(policy.find("connect-src 'self' https://lon.example https://fra.example:8443;") !=
        std::string::npos);
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
}

TEST_CASE("files have the media type of their name's end") {
  CHECK(media_type_of("index.html") == "text/html; charset=utf-8");
  CHECK(media_type_of("assets/main-1.js") == "text/javascript; charset=utf-8");
  CHECK(media_type_of("assets/icon-1.svg") == "image/svg+xml");
  CHECK(media_type_of("LICENSE") == "application/octet-stream");
}

} // namespace
} // namespace matchcloud::http
