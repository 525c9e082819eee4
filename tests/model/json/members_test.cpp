#include "model/json/members.hpp"

#include "model/json/json_document.hpp"
#include "model/json/name_table.hpp"

#include "tests/catch.hpp"

#include <string>

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

// Short names, names that differ only beyond what is compared at once, and one that is empty.
constexpr std::array<symbol_of_name, 8> names{{{"a", 1},
                                               {"ab", 2},
                                               {"b", 1},
                                               {"exactly sixteen.", 3},
                                               {"exactly sixteen.a", 4},
                                               {"exactly sixteen.b", 5},
                                               {"", 6},
                                               {"seventeen bytes..", 4}}};
constexpr name_table table{names};

/// As it is in a text: followed by other bytes.
name_symbol found_in_text(const std::string& name) {
  const auto text = name + "\":0}0123456789abcdef";
  return table.find_in_text(std::string_view{text}.substr(0, name.size()));
}

TEST_CASE("each name has its symbol, alone and within a text") {
  for (const auto& each : names) {
    INFO(each.name);
    CHECK(table.find(each.name) == each.symbol);
    CHECK(found_in_text(std::string{each.name}) == each.symbol);
  }
}

TEST_CASE("other names have no symbol") {
  for (const std::string name : {"c", "aa", "abc", "A", "exactly sixteen", "exactly sixteen.c",
                                 "exactly sixteen.ab", "seventeen bytes.", "seventeen bytes..."}) {
    INFO(name);
    CHECK(table.find(name) == no_symbol);
    CHECK(found_in_text(name) == no_symbol);
  }
  CHECK(table.find(std::string{"a\0", 2}) == no_symbol);
}

TEST_CASE("members of a document have the symbols of the names that its reader knows") {
  const known_names known{&table, {{"further", 2}}};
  const auto document = json_document::parse_object(
      R"({"a":[{"ab":1}],"b":2,"further":3,"\u0061b":4,"unknown":5,"a":6})", 8, &known);
  REQUIRE(document.has_value());
  std::vector<int> symbols;
  std::vector<bool> repeated;
  for (std::uint32_t i = 1; i < document->node_count(); ++i) {
    symbols.push_back(document->node(i).symbol);
    repeated.push_back(document->node(i).repeated);
  }
  CHECK(symbols == std::vector<int>{1, 0, 2, 1, 2, 2, 0, 1});
  // Another spelling of the same is not a repetition, and the same name is.
  CHECK(repeated == std::vector<bool>{false, false, false, false, false, false, false, true});
}

} // namespace
} // namespace matchcloud::model
