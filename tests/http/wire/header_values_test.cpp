#include "http/wire/request.hpp"

#include "http/wire/conditional.hpp"
#include "http/wire/message_lines.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <rapidcheck.h>
#include <string>
#include <vector>

namespace matchcloud::http {
namespace {

TEST_CASE("a media type is told in any case and with any parameters") {
  for (const std::string type : {"application/json", "Application/JSON", "application/json;a=b",
                                 "application/json ; charset=x", "application/json\t"})
    CHECK(is_json(type));
  for (const std::string type : {"", "application/jsonl", "text/json", "application/json,a/b"})
    CHECK_FALSE(is_json(type));
  for (const std::string type : {"application/x-ndjson", "application/ndjson; charset=utf-8",
                                 "application/JSONL", "application/x-jsonlines"})
    CHECK(is_json_lines(type));
  for (const std::string type : {"", "application/json", "application/x-ndjsonl", "ndjson"})
    CHECK_FALSE(is_json_lines(type));
}

TEST_CASE("UTF-8, US-ASCII and no charset are Unicode") {
  for (const std::string parameters :
       {"", ";", "; ", ";;", ";charset=utf-8", "; charset=UTF-8 ", ";Charset=utf8",
        ";charset=\"Utf-8\"", ";charset=us-ascii", ";charset = utf-8", ";charset=", ";charset=\"\"",
        ";charset", ";charset=;charset=utf-8", ";a=charset=x", ";x-charset=latin1"}) {
    CAPTURE(parameters);
    CHECK(has_unicode_charset("application/json" + parameters));
  }
  for (const std::string parameters :
       {";charset=utf-16", ";charset=\"utf-16\"", "; CHARSET=ISO-8859-1", ";charset=utf-80",
        ";charset=utf", ";charset=\"utf-8", ";charset=\"", ";charset=utf-8;charset=latin1",
        ";a=b;charset=latin1;c=d"}) {
    CAPTURE(parameters);
    CHECK_FALSE(has_unicode_charset("application/json" + parameters));
  }
}

TEST_CASE("quoted strings in parameters are skipped") {
  for (const std::string parameters :
       {R"(;profile="a;charset=x")", R"(;profile="\";charset=x")", R"(;profile="\\";charset=utf-8)",
        R"(;a=";";b=";charset=x;")", R"(;a="never ended;charset=x)", R"(;a="\)"}) {
    CAPTURE(parameters);
    CHECK(has_unicode_charset("application/json" + parameters));
  }
  for (const std::string parameters : {R"(;profile="a;b";charset=x)", R"(;profile="\\";charset=x)",
                                       R"(;a="";charset=x)", R"(;profile="\"";charset=x)"}) {
    CAPTURE(parameters);
    CHECK_FALSE(has_unicode_charset("application/json" + parameters));
  }
}

TEST_CASE("gzip is accepted by name or star with a weight above 0") {
  for (const auto* value :
       {"gzip", "GZip", "x-gzip", "gzip, deflate, br", "deflate , gzip", "gzip;q=1", "gzip;q=0.001",
        "gzip ; q=0.5", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "identity;q=0, *", "*;q=0, gzip",
        ",,gzip", "br,,gzip,,", "br, ,*,", "gzip;Q=1.000"}) {
    CAPTURE(value);
    CHECK(accepts_gzip(value));
  }
}

TEST_CASE("gzip that is absent, weighs 0 or is malformed is not accepted") {
  for (const auto* value : {"",
                            "identity",
                            "deflate, br",
                            "gzip;q=0",
                            "gzip;q=0.000",
                            "gzip;q=0, *",
                            "*;q=0",
                            "gzipped",
                            "gzip;q=1.001",
                            "gzip;q=2",
                            "gzip;q=",
                            "gzip;q=0.1234",
                            "gzip;level=9",
                            "gzip;q",
                            "gzip;q=-1",
                            "gzip;q=1x",
                            "\"gzip\"",
                            ",",
                            ", ,",
                            "br,,"}) {
    CAPTURE(value);
    CHECK(!accepts_gzip(value));
  }
}

TEST_CASE("a cleared request forgets that its client accepts gzip") {
  request from;
  from.set(header::accept_encoding, "gzip");
  CHECK(accepts_gzip(from));
  CHECK(accepts_gzip(from));
  from.clear(0);
  CHECK(!accepts_gzip(from));
}

using fixtures::contains;

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
  CHECK(contains(refused.body_bytes(), "precondition_failed"));
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

using kind = range_choice::kind;

/// The chosen range as `offset+length`, `whole` or `416`.
std::string chosen(std::string_view value, std::uint64_t size_bytes = 1'000) {
  const auto choice = choose_range(value, size_bytes);
  switch (choice.what) {
  case kind::whole: return "whole";
  case kind::unsatisfiable: return "416";
  case kind::part:
    return std::to_string(choice.bytes.offset) + "+" + std::to_string(choice.bytes.length);
  }
  return {};
}

TEST_CASE("one range of bytes is a part, cut at the end") {
  CHECK(chosen("bytes=0-0") == "0+1");
  CHECK(chosen("bytes=0-999") == "0+1000");
  CHECK(chosen("bytes=10-19") == "10+10");
  CHECK(chosen("bytes=990-") == "990+10");
  CHECK(chosen("bytes=990-2000") == "990+10");
  CHECK(chosen("bytes=999-999") == "999+1");
  CHECK(chosen("bytes=-1") == "999+1");
  CHECK(chosen("bytes=-1000") == "0+1000");
  CHECK(chosen("bytes=-5000") == "0+1000");
}

TEST_CASE("ranges are read as RFC 9110 says") {
  CHECK(chosen("BYTES=1-2") == "1+2");
  CHECK(chosen("bytes= 1-2 ") == "1+2");
  CHECK(chosen("bytes=,\t1-2,, ") == "1+2");
  CHECK(chosen("bytes=0001-0002") == "1+2");
}

TEST_CASE("numbers beyond 64 bits are only large") {
  CHECK(chosen("bytes=5-99999999999999999999999999999999") == "5+995");
  CHECK(chosen("bytes=-99999999999999999999999999999999") == "0+1000");
  CHECK(chosen("bytes=99999999999999999999999999999999-") == "416");
  CHECK(chosen("bytes=18446744073709551615-18446744073709551615", UINT64_MAX) == "416");
  CHECK(chosen("bytes=0-18446744073709551615", UINT64_MAX) == "0+18446744073709551615");
}

TEST_CASE("ranges behind the end or without bytes are unsatisfiable") {
  for (const auto* value : {"bytes=1000-", "bytes=1000-1000", "bytes=5000-", "bytes=-0"})
    CHECK(chosen(value) == "416");
  for (const auto* value : {"bytes=0-", "bytes=0-0", "bytes=-5"})
    CHECK(chosen(value, 0) == "416");
}

TEST_CASE("several ranges, other units and malformed ones get the whole") {
  for (const auto* value :
       {"bytes=0-1,5-6", "bytes=5000-,6000-", "bytes=0-1,x", "",           "bytes",
        "bytes=",        "bytes=,",           "bytes=-",     "bytes=x-",   "bytes=1",
        "bytes=2-1",     "bytes=1-2-3",       "bytes=1 -2",  "bytes=+1-2", "bytes=--1",
        "bytes=0x1-2",   "bytes:1-2",         " bytes=1-2",  "bytes =1-2", "lines=1-2",
        "=1-2",          "bytes=1-\xb2"}) {
    CAPTURE(value);
    CHECK(chosen(value) == "whole");
  }
}

TEST_CASE("Content-Range names first and last byte and the size") {
  CHECK(content_range({0, 1}, 1'000) == "bytes 0-0/1000");
  CHECK(content_range({990, 10}, 1'000) == "bytes 990-999/1000");
  CHECK(unsatisfied_range(1'000) == "bytes */1000");
}

void check_inside(std::string_view value, std::uint64_t size_bytes) {
  const auto choice = choose_range(value, size_bytes);
  if (choice.what != kind::part) return;
  RC_ASSERT(choice.bytes.length > 0);
  RC_ASSERT(choice.bytes.offset < size_bytes);
  RC_ASSERT(choice.bytes.length <= size_bytes - choice.bytes.offset);
}

TEST_CASE("a part is never empty and always inside the representation") {
  REQUIRE(rc::check([](std::uint64_t first, std::uint64_t last, std::uint64_t size_bytes) {
    const auto from = std::to_string(first);
    const auto to = std::to_string(last);
    for (const auto& value : {from + "-" + to, from + "-", "-" + to})
      check_inside("bytes=" + value, size_bytes);
  }));
  REQUIRE(rc::check([] {
    const auto piece = rc::gen::elementOf(
        std::vector<std::string>{"bytes", "=", "-", ",", " ", "0", "1", "99", "\t", "x",
                                 "18446744073709551615", "18446744073709551616"});
    std::string value = *rc::gen::elementOf(std::vector<std::string>{"bytes=", ""});
    for (const auto& text : *rc::gen::container<std::vector<std::string>>(piece))
      value += text;
    check_inside(value, *rc::gen::elementOf(std::vector<std::uint64_t>{0, 1, 2, 100, UINT64_MAX}));
  }));
  REQUIRE(rc::check([](const std::string& noise, std::uint64_t size_bytes) {
    check_inside(noise, size_bytes);
    check_inside("bytes=" + noise, size_bytes);
  }));
}

TEST_CASE("a range that asks for bytes that are there gets exactly them") {
  REQUIRE(rc::check([] {
    const auto size_bytes = *rc::gen::inRange<std::uint64_t>(1, 10'000);
    const auto first = *rc::gen::inRange<std::uint64_t>(0, size_bytes);
    const auto last = *rc::gen::inRange<std::uint64_t>(first, size_bytes);
    const auto choice =
        choose_range("bytes=" + std::to_string(first) + "-" + std::to_string(last), size_bytes);
    RC_ASSERT(choice.what == kind::part);
    RC_ASSERT(choice.bytes == (byte_range{first, last - first + 1}));
  }));
}

} // namespace
} // namespace matchcloud::http

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
