#include "http/reference/openapi.hpp"

#include "http/operations/list.hpp"
#include "http/reference/reference.hpp"
#include "http/transport/transport_metrics.hpp"
#include "model/json/rapidjson.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <rapidjson/pointer.h>
#include <set>
#include <string>
#include <string_view>

namespace matchcloud::http {
namespace {

using base::errc;
using fixtures::contains;
using matchcloud::e2e::parse_json;

rapidjson::Document document(plane of, const openapi_settings& settings = {}) {
  return parse_json(openapi(of, settings));
}

TEST_CASE("each operation is documented, and nothing that is none") {
  for (const auto of : {plane::data, plane::ops}) {
    std::set<operation> documented;
    for (const auto& each : references_of(of)) {
      const auto& row = row_of(each.id);
      CHECK(row.plane == of);
      CHECK_FALSE(row.path.empty());
      CHECK((row.body == body_kind::none) == each.body.schema.empty());
      CHECK_FALSE(each.summary.empty());
      CHECK_FALSE(each.answers.empty());
      documented.insert(each.id);
    }
    for (const auto& row : operations) {
      INFO(row.name);
      CHECK((documented.count(row.id) == 1) == (row.plane == of && !row.path.empty()));
    }
  }
}

TEST_CASE("every status that an operation may be answered with is counted as itself") {
  const auto is_known = [](int status) {
    return std::ranges::find(known_statuses, status) != known_statuses.end();
  };
  for (const auto of : {plane::data, plane::ops})
    for (const auto& each : references_of(of)) {
      INFO(row_of(each.id).name);
      for (const auto& answer : each.answers)
        CHECK(is_known(answer.status));
      for (const auto code : errors_of(each))
        CHECK(is_known(base::describe(code).status));
    }
}

TEST_CASE("each error that a client can get is one of some operation") {
  std::set<base::errc> documented;
  for (const auto of : {plane::data, plane::ops})
    for (const auto& each : references_of(of))
      for (const auto code : errors_of(each))
        documented.insert(code);
  for (const auto code : errors_without_operation())
    documented.insert(code);
  // Those of commands, of the start, and of work that nobody waits for.
  const std::set<base::errc> never{errc::config_invalid, errc::image_invalid, errc::geoip_invalid,
                                   errc::address_unavailable, errc::cancelled};
  for (int i = 0; i <= static_cast<int>(errc::address_unavailable); ++i) {
    const auto code = static_cast<base::errc>(i);
    INFO(base::describe(code).code);
    CHECK(documented.count(code) + never.count(code) == 1);
  }
}

TEST_CASE("the document has the limits in force and the base path") {
  openapi_settings settings;
  settings.rules.limits.game_display_name = 7;
  settings.base_path = "/mm";
  const auto data = document(plane::data, settings);
  const auto* longest =
      rapidjson::Pointer{"/components/schemas/GamePayload/properties/display_name/maxLength"}.Get(
          data);
  REQUIRE(longest != nullptr);
  CHECK(longest->GetInt() == 7);
  CHECK(std::string{data["servers"][0]["url"].GetString()} == "/mm");
  CHECK_FALSE(contains(openapi(plane::data, settings), "\n"));
  const auto ops = document(plane::ops, settings);
  CHECK(std::string{ops["servers"][0]["url"].GetString()} == "/");
}

TEST_CASE("a schema is written without white space, and texts keep theirs") {
  CHECK(document_schema("{ \"type\": \"string\",\n  \"description\": \"two  words\" }") ==
        R"({"type":"string","description":"two  words"})");
}

TEST_CASE("an integer gets the smallest format that holds it") {
  const auto format = [](std::string_view bounds) {
    const auto made = document_schema(R"({"type":"integer")" + std::string{bounds} + "}");
    const std::string_view mark = R"("format":")";
    const auto begin = made.find(mark) + mark.size();
    return made.substr(begin, made.find('"', begin) - begin);
  };
  CHECK(format("") == "int64");
  CHECK(format(R"(,"minimum":0)") == "int64");
  CHECK(format(R"(,"maximum":5)") == "int64");
  CHECK(format(R"(,"minimum":-2147483648,"maximum":2147483647)") == "int32");
  CHECK(format(R"(,"minimum":-2147483649,"maximum":2147483647)") == "int64");
  CHECK(format(R"(,"minimum":0,"maximum":2147483648)") == "int64");
  CHECK(format(R"(,"minimum":0,"maximum":9223372036854775807)") == "int64");
  CHECK(format(R"(,"minimum":0,"maximum":9223372036854775808)") == "uint64");
  CHECK(format(R"(,"minimum":0,"maximum":18446744073709551615)") == "uint64");
  CHECK(format(R"(,"format":"of-its-own")") == "of-its-own");
}

TEST_CASE("integers get formats wherever they are declared, and conditions none") {
  CHECK(document_schema(R"({"properties":{"a":{"type":["integer","null"]}}})") ==
        R"({"properties":{"a":{"type":["integer","null"],"format":"int64"}}})");
  CHECK(document_schema(R"({"type":"array","items":{"type":"integer"}})") ==
        R"({"type":"array","items":{"type":"integer","format":"int64"}})");
  // A property that happens to be called `type`.
  CHECK(document_schema(R"({"properties":{"type":{"type":"integer"}}})") ==
        R"({"properties":{"type":{"type":"integer","format":"int64"}}})");
  constexpr std::string_view condition = R"({"anyOf":[{"properties":{"a":{"type":"integer"}}}]})";
  CHECK(document_schema(condition) == condition);
  CHECK(contains(
      document_schema(R"({"allOf":[{"properties":{"a":{"type":"integer","description":"A."}}}]})"),
      R"("format":"int64")"));
}

} // namespace
} // namespace matchcloud::http
