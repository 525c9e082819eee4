#include "http/wire/conditional.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace matchcloud::http {
namespace {

constexpr std::string_view etag = "\"a1\"";

TEST_CASE("If-None-Match names an entity tag, weak or strong, among others, or any") {
  for (const auto* value : {"\"a1\"", "W/\"a1\"", "*", "\"x\", \"a1\"", "\"x\",W/\"a1\"",
                            ",, \"a1\"", "\"x\" ,\t\"a1\"", "\"a,b\", \"a1\"", "\"\", \"a1\""}) {
    CAPTURE(value);
    CHECK(names_etag(value, etag));
  }
}

TEST_CASE("If-None-Match names nothing where the tag is not whole") {
  for (const auto* value :
       {"", "\"a\"", "\"a12\"", "a1", "\"a1", "a1\"", "'a1'", "w/\"a1\"", "\"A1\"", "**", "* ",
        "\"x, \"a1", "x, \"a1\"", "\"x\"\"a1\"", "W/", "\"", ","}) {
    CAPTURE(value);
    CHECK(!names_etag(value, etag));
  }
}

TEST_CASE("a Range stands without If-Range or with the same strong tag") {
  request request;
  CHECK(if_range_matches(request, etag));
  request.set(header::if_range, "\"a1\"");
  CHECK(if_range_matches(request, etag));
  for (const auto* value :
       {"", "W/\"a1\"", "\"a2\"", "a1", "*", "\"a1\", \"a1\"", "Tue, 14 Nov 2023 22:13:20 GMT"}) {
    CAPTURE(value);
    request.set(header::if_range, value);
    CHECK(!if_range_matches(request, etag));
  }
}

TEST_CASE("If-Match names an entity tag that is strong, among others, or any") {
  for (const auto* value : {"\"a1\"", "*", "\"x\", \"a1\"", "W/\"a1\", \"a1\"", ",, \"a1\""})
    CHECK(names_etag_strongly(value, etag));
  for (const auto* value : {"", "W/\"a1\"", "\"x\"", "a1", "**", "\"x\", W/\"a1\"", "\"a1"})
    CHECK(!names_etag_strongly(value, etag));
}

TEST_CASE("without If-Match everything holds, with an empty one nothing") {
  request request;
  CHECK(precondition_holds(request, etag));
  request.set(header::if_match, "\"a1\"");
  CHECK(precondition_holds(request, etag));
  request.set(header::if_match, "");
  CHECK(!precondition_holds(request, etag));
  const auto refused = precondition_failed(request, etag);
  CHECK(refused.status == 412);
  CHECK(refused.headers == "ETag: \"a1\"\r\n");
  CHECK(refused.body_bytes().find("precondition_failed") != std::string_view::npos);
}

TEST_CASE("a list of entity tags names exactly its members") {
  REQUIRE(rc::check([] {
    const auto tag = rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab,! W/1"}));
    const auto tags = *rc::gen::container<std::vector<std::string>>(tag);
    std::string value;
    bool has = false;
    for (const auto& each : tags) {
      value += (value.empty() ? "" : ", ") + std::string{*rc::gen::arbitrary<bool>() ? "W/" : ""} +
               '"' + each + '"';
      has = has || each == "a1";
    }
    RC_ASSERT(names_etag(value, etag) == has);
  }));
  // Parsing terminates for any input.
  REQUIRE(rc::check([](const std::string& noise) {
    const bool named = names_etag(noise, etag);
    RC_ASSERT(!named || noise == "*" || noise.find(etag) != std::string::npos);
  }));
}

} // namespace
} // namespace matchcloud::http
