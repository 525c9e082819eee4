#include "model/json/members.hpp"

#include <catch2/catch_test_macros.hpp>

namespace {

using namespace matchcloud;

rapidjson::Document parsed(std::string_view json) {
  rapidjson::Document made;
  made.Parse(json.data(), json.size());
  REQUIRE_FALSE(made.HasParseError());
  return made;
}

TEST_CASE("members that another program wrote") {
  const auto all = parsed(R"({"text": "a\u0000b", "number": 2.5, "count": 18446744073709551615,
                              "less": -3, "much": 1e300, "array": [1, "2"], "object": {"in": 1}})");
  CHECK(model::member_text(all, "text") == std::string_view{"a\0b", 3});
  CHECK(model::member_number(all, "number") == 2.5);
  CHECK(model::member_number(all, "less") == -3);
  CHECK(model::member_count(all, "count") == 18'446'744'073'709'551'615U);
  CHECK(model::member_count(all, "number") == 2);
  CHECK(model::member_count(all, "less") == 0);
  CHECK(model::member_count(all, "much") == 9'007'199'254'740'992);
  CHECK(model::member_elements(all, "array").size() == 2);
  REQUIRE(model::member_object(all, "object") != nullptr);
  CHECK(model::member_count(*model::member_object(all, "object"), "in") == 1);
}

TEST_CASE("members that are missing or of another kind are empty") {
  const auto all = parsed(R"({"null": null, "text": "1", "number": 1, "array": [], "object": {}})");
  const auto none = parsed("[1]");
  for (const auto* const name : {"missing", "null", "object"}) {
    CHECK(model::member_text(all, name).empty());
    CHECK(model::member_number(all, name) == 0);
    CHECK(model::member_count(all, name) == 0);
    CHECK(model::member_array(all, name) == nullptr);
    CHECK(model::member_elements(all, name).empty());
  }
  CHECK(model::member_object(all, "array") == nullptr);
  CHECK(model::member_of(all, "missing") == nullptr);
  CHECK(model::member_of(none, "text") == nullptr);
  CHECK(model::member_elements(none, "array").empty());
}

} // namespace
