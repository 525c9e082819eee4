#include "model/json/record.hpp"

#include "tests/catch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::model {
namespace {

struct recorded_part {
  std::uint64_t number = 0;
};

constexpr auto describe(const recorded_part*) {
  return record{"Part", field{"number", types::count, "Its number.", &recorded_part::number}};
}

struct recorded_whole {
  std::string name;
  double share = 0;
  bool is_new = false;
  std::optional<int> least;
  std::optional<int> most;
  std::vector<recorded_part> parts;
  std::vector<std::pair<std::string, std::string>> labels;

  std::string_view state() const { return "ready"; }
};

constexpr auto describe(const recorded_whole*) {
  using of = recorded_whole;
  return record{"Whole",
                field{"name", types::text, "Its name.", &of::name},
                field{"share", types::share, "Its share.", &of::share},
                field{"is_new", types::flag, "Whether it is new.", &of::is_new},
                field{"least", types::integer_or_null, "Null: none.", &of::least},
                field{"most", types::maybe(types::count), "Absent: none.", &of::most},
                field{"parts", types::list_of(types::a("Part")), "Its parts.", &of::parts},
                field{"labels", {R"("type":"object")"}, "By name.", &of::labels},
                field{"state", types::text, "Its state.", &of::state}};
}

struct recorded_line {
  std::string by;
  std::int64_t at_ms = 0;
  std::string json;
};

constexpr auto describe(const recorded_line*) {
  using of = recorded_line;
  return record{"Line", field{"by", types::text_or_null, "Null: nobody.", unless_empty(&of::by)},
                field{"at", types::moment, "When.", moment_from(&of::at_ms)},
                field{"what", {}, "What.", [](const of& one) { return raw_json{one.json}; }}}
      .about("A line.")
      .open();
}

TEST_CASE("a record is written with its members in order, without absent ones") {
  recorded_whole one{"a", 0.25, true, {}, {}, {{1}, {2}}, {{"k", "v"}}};
  CHECK(to_json(one) == R"({"name":"a","share":0.25,"is_new":true,"least":null,)"
                        R"("parts":[{"number":1},{"number":2}],"labels":{"k":"v"},)"
                        R"("state":"ready"})");
  one = {"b", 1, false, 3, 4, {}, {}};
  CHECK(to_json(one) == R"({"name":"b","share":1,"is_new":false,"least":3,"most":4,)"
                        R"("parts":[],"labels":{},"state":"ready"})");
  CHECK(to_json("parts", std::vector<recorded_part>{{5}}) == R"({"parts":[{"number":5}]})");
}

TEST_CASE("a text may be null if it is empty, a time is a moment, and JSON stays as it is") {
  CHECK(to_json(recorded_line{"", 0, "[1]"}) ==
        R"({"by":null,"at":"1970-01-01T00:00:00.000Z","what":[1]})");
  CHECK(to_json(recorded_line{"a", 1, "{}"}) ==
        R"({"by":"a","at":"1970-01-01T00:00:00.001Z","what":{}})");
  CHECK(schema_of<recorded_line>().schema ==
        R"({"type":"object","required":["by","at","what"],"description":"A line.",)"
        R"("properties":{"by":{"type":["string","null"],"description":"Null: nobody."},)"
        R"("at":{"type":"string","format":"date-time","description":"When."},)"
        R"("what":{"description":"What."}}})");
}

TEST_CASE("the schema of a record follows from its members") {
  const auto [name, schema] = schema_of<recorded_part>();
  CHECK(name == "Part");
  CHECK(schema == R"({"type":"object","additionalProperties":false,"required":["number"],)"
                  R"("properties":{"number":{"type":"integer","minimum":0,)"
                  R"("description":"Its number."}}})");
  const auto whole = schema_of<recorded_whole>().schema;
  CHECK(whole.find(R"("required":["name","share","is_new","least","parts","labels","state"])") !=
        std::string::npos);
  CHECK(whole.find(R"("parts":{"type":"array","items":{"$ref":"#/components/schemas/Part"},)") !=
        std::string::npos);
}

TEST_CASE("a schema may refer, be null, be open, or have words") {
  CHECK(schema_of(types::or_null(types::a("Part")), "One.") ==
        R"({"oneOf":[{"$ref":"#/components/schemas/Part"},{"type":"null"}],)"
        R"("description":"One."})");
  CHECK(object("Open", {{"a", types::maybe(types::flag), "A."}}, "Open.", true).schema ==
        R"({"type":"object","description":"Open.","properties":{"a":{"type":"boolean",)"
        R"("description":"A."}}})");
  static constexpr std::array<std::string_view, 2> words{"one", "other"};
  CHECK(one_of("Word", words, "A word.").schema ==
        R"({"description":"A word.","type":"string","enum":["one","other"]})");
}

} // namespace
} // namespace matchcloud::model
