#include "model/lobbies/export_query.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <limits>
#include <string>

namespace {

using namespace matchcloud;
using model::read_export_span;
using model::time_span;

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

std::string detail_of(std::string_view body) {
  const auto read = read_export_span(body);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == base::errc::query_invalid);
  return read.error().detail;
}

bool has(const std::string& text, std::string_view part) {
  INFO(text);
  CHECK(text.find(part) != text.npos);
  return text.find(part) != text.npos;
}

TEST_CASE("a span is read with its whole unsigned 64-bit range, in either order") {
  CHECK(read_export_span(R"({"query_start": 0, "query_end": 0})") == time_span{0, 0});
  CHECK(read_export_span(R"({"query_end": 18446744073709551615, "query_start": 1})") ==
        time_span{1, largest});
  CHECK(read_export_span(
            R"({"query_start":18446744073709551615,"query_end":18446744073709551615})") ==
        time_span{largest, largest});
  CHECK(read_export_span(R"({"query_start":9007199254740993,"query_end":9223372036854775808})") ==
        time_span{9'007'199'254'740'993, 9'223'372'036'854'775'808U});
}

TEST_CASE("integers may be written with a point or an exponent") {
  CHECK(read_export_span(R"({"query_start": 1.0, "query_end": 1e3})") == time_span{1, 1'000});
  CHECK(read_export_span(R"({"query_start": -0, "query_end": 1.8446744073709551615e19})") ==
        time_span{0, largest});
}

TEST_CASE("every member that is wrong is named, with what was found and what to do") {
  const auto nothing = detail_of("{}");
  has(nothing, "`query_start` is required, but is absent.");
  has(nothing, "`query_end` is required, but is absent.");

  const auto wrong = detail_of(R"({"query_start": null, "query_end": "soon"})");
  has(wrong, "`query_start` is required, but is null.");
  has(wrong, "`query_end` must be an integer, but is the string `soon`.");

  const auto numbers = detail_of(R"({"query_start": -1, "query_end": 18446744073709551616})");
  has(numbers, "`query_start` is `-1`, which is not an unsigned 64-bit integer.");
  has(numbers, "`query_end` is `18446744073709551616`");
  has(numbers, "Write a number from 0 to 18446744073709551615.");

  has(detail_of(R"({"query_start": 1.5, "query_end": 2})"), "but is the number `1.5`.");
  has(detail_of(R"({"query_start": 1, "query_end": 1e400})"), "`query_end` is `1e400`");
  has(detail_of(R"({"query_start": "12", "query_end": 20})"), "Write the number without quotes.");
  has(detail_of(R"({"query_start": [1], "query_end": {}})"),
      "`query_start` must be an integer, but");
}

TEST_CASE("the message about a time written as text names its milliseconds") {
  has(detail_of(R"({"query_start": "2026-01-01T00:00:00Z", "query_end": 1})"),
      "As milliseconds since 1970 that time is 1767225600000.");
}

TEST_CASE("a span that ends before it begins names both ends") {
  const auto detail = detail_of(R"({"query_start": 18446744073709551615, "query_end": 7})");
  has(detail, "`query_start` (18446744073709551615) is later than `query_end` (7).");
}

TEST_CASE("a repeated member is named once, besides what is wrong with it") {
  const auto detail = detail_of(R"({"query_start": 1, "query_start": 1, "query_start": 2,
                                    "query_end": -5, "query_end": 3})");
  has(detail, "The body has the member `query_start` more than once.");
  has(detail, "The body has the member `query_end` more than once.");
  has(detail, "`query_end` is `-5`");
  CHECK(detail.find("`query_start` more") == detail.rfind("`query_start` more"));
}

TEST_CASE("an unknown member is named with the one that was probably meant") {
  const auto detail = detail_of(R"({"queryStart": 1, "query_stop": 2, "limit": 5})");
  has(detail, "The body has no member `queryStart`. Did you mean `query_start`?");
  has(detail, "The body has no member `limit`. It can have: `query_start`, `query_end`.");
  has(detail, "`query_start` is required");
  has(detail, "`query_end` is required");
}

TEST_CASE("an unknown member is ignored where the rules ignore them, and nothing else is") {
  model::export_body_rules rules{.ignores_unknown_members = true};
  const auto read = [&](std::string_view body) { return read_export_span(body, rules); };
  CHECK(read(R"({"query_start": 1, "limit": {"a": [5]}, "query_end": 2})") == time_span{1, 2});
  const auto missing = read(R"({"queryStart": 1, "query_end": 2})");
  REQUIRE_FALSE(missing.has_value());
  has(missing.error().detail, "`query_start` is required, but is absent.");
  CHECK(missing.error().detail.find("queryStart") == std::string::npos);
  CHECK_FALSE(read(R"({"query_start": 1, "query_start": 1, "query_end": 2})").has_value());
  CHECK_FALSE(read(R"({"query_start": 3, "query_end": 2})").has_value());

  rules.depth_limit = 16;
  const auto deep = read("{\"query_start\": 1, \"query_end\": 2, \"x\": " + std::string(16, '[') +
                         std::string(16, ']') + "}");
  REQUIRE_FALSE(deep.has_value());
  CHECK(deep.error().code == base::errc::body_too_deep);
}

TEST_CASE("details stay short whatever the body is") {
  std::string body = R"({"query_start": ")" + std::string(50'000, 'x') + R"(", "query_end": 1)";
  for (int i = 0; i < 5'000; ++i)
    body += R"(, "member)" + std::to_string(i) + R"(": 1)";
  const auto detail = detail_of(body + "}");
  CHECK(detail.size() < 4'096);
  has(detail, "`query_start` must be an integer");
  has(detail, "It has 4984 more unknown members.");
}

TEST_CASE("a body that is no JSON object is refused like any other body") {
  const auto code_of = [](const std::string& body) {
    const auto read = read_export_span(body);
    REQUIRE_FALSE(read.has_value());
    CHECK_FALSE(read.error().detail.empty());
    return read.error().code;
  };
  CHECK(code_of("") == base::errc::body_malformed);
  CHECK(code_of("{") == base::errc::body_malformed);
  CHECK(code_of(R"({"query_start": 01, "query_end": 2})") == base::errc::body_malformed);
  CHECK(code_of("[]") == base::errc::body_not_object);
  CHECK(code_of("5") == base::errc::body_not_object);
  CHECK(code_of(std::string(65, '[') + std::string(65, ']')) == base::errc::body_too_deep);
}

TEST_CASE("property: any two integers are read as they are written") {
  REQUIRE(rc::check([] {
    const auto a = *rc::gen::arbitrary<std::uint64_t>();
    const auto b = *rc::gen::arbitrary<std::uint64_t>();
    const time_span span{std::min(a, b), std::max(a, b)};
    const auto body = [](std::uint64_t begin, std::uint64_t end) {
      return R"({"query_start":)" + std::to_string(begin) + R"(,"query_end":)" +
             std::to_string(end) + "}";
    };
    RC_ASSERT(read_export_span(body(span.begin, span.end)) == span);
    if (a != b) RC_ASSERT_FALSE(read_export_span(body(span.end, span.begin)).has_value());
  }));
}

} // namespace
