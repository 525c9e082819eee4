#include "model/json/members.hpp"

#include "tests/catch.hpp"

namespace matchcloud::model {
namespace {

rapidjson::Document parsed_value(std::string_view json) {
  rapidjson::Document made;
  made.Parse(json.data(), json.size());
  REQUIRE_FALSE(made.HasParseError());
  return made;
}

TEST_CASE("members that another program wrote") {
  const auto all =
      parsed_value(R"({"text": "a\u0000b", "number": 2.5, "count": 18446744073709551615,
                              "less": -3, "much": 1e300, "array": [1, "2"], "object": {"in": 1}})");
  CHECK(member_text(all, "text") == std::string_view{"a\0b", 3});
  CHECK(member_number(all, "number") == 2.5);
  CHECK(member_number(all, "less") == -3);
  CHECK(member_count(all, "count") == 18'446'744'073'709'551'615U);
  CHECK(member_count(all, "number") == 2);
  CHECK(member_count(all, "less") == 0);
  CHECK(member_count(all, "much") == 9'007'199'254'740'992);
  CHECK(member_elements(all, "array").size() == 2);
  REQUIRE(member_object(all, "object") != nullptr);
  CHECK(member_count(*member_object(all, "object"), "in") == 1);
}

TEST_CASE("members that are missing or of another kind are empty") {
  const auto all =
      parsed_value(R"({"null": null, "text": "1", "number": 1, "array": [], "object": {}})");
  const auto none = parsed_value("[1]");
  for (const auto* const name : {"missing", "null", "object"}) {
    CHECK(member_text(all, name).empty());
    CHECK(member_number(all, name) == 0);
    CHECK(member_count(all, name) == 0);
    CHECK(member_array(all, name) == nullptr);
    CHECK(member_elements(all, name).empty());
  }
  CHECK(member_object(all, "array") == nullptr);
  CHECK(member_of(all, "missing") == nullptr);
  CHECK(member_of(none, "text") == nullptr);
  CHECK(member_elements(none, "array").empty());
}

} // namespace
} // namespace matchcloud::model
