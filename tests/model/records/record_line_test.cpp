#include "model/records/record_line.hpp"

#include "model/text/timestamp.hpp"
#include "tests/catch.hpp"

#include <array>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::model;
using kind = json_kind;

constexpr std::array<json_field, 4> members{
    {{"lobby_id"}, {"region_id"}, {"start_ts"}, {"stop_ts", false}}};

/// The fields of a line, which point into its reader.
struct reading {
  explicit reading(std::string_view line) : finding{reader.read(line, fields)} {}

  record_reader reader{members};
  std::array<record_field, 4> fields;
  std::optional<line_finding> finding;
};

line_finding problem_in(const std::string& line) {
  const reading done{line};
  INFO(line);
  REQUIRE(done.finding.has_value());
  return *done.finding;
}

} // namespace

TEST_CASE("a line gives a field for each member, in the order of the table") {
  const reading done{
      R"( {"start_ts": 12.50e1, "stop_ts":null,"region_id":true ,"lobby_id":"aé\n😀"} )"};
  REQUIRE_FALSE(done.finding);
  CHECK(done.fields[0].what == kind::string);
  CHECK(done.fields[0].text == "aé\n😀");
  CHECK(done.fields[1].what == kind::boolean);
  CHECK(done.fields[1].text == "true");
  CHECK(done.fields[2].what == kind::number);
  CHECK(done.fields[2].text == "12.50e1");
  CHECK(done.fields[3].what == kind::null);
  CHECK(reading{R"({"lobby_id":1,"region_id":2,"start_ts":3})"}.fields[3].what == std::nullopt);
}

TEST_CASE("a line that is not one JSON object is malformed, with the place") {
  const auto malformed = [](const std::string& line) {
    const auto finding = problem_in(line);
    CHECK(finding.code == line_errc::malformed);
    return finding.message;
  };
  CHECK(malformed("").find("found nothing") != std::string::npos);
  CHECK(malformed(R"({"lobby_id":"x",})").starts_with("at byte 17: expected a member name"));
  CHECK(
      malformed(R"({"lobby_id":"x"} {})").starts_with("at byte 18: expected the end of the line"));
  // RapidJSON's own check would read past a line that ends within a character.
  CHECK(malformed("{\"lobby_id\":\"a\xef").starts_with("at byte 15: expected UTF-8"));
  CHECK(malformed("{\"lobby_id\":\"a\xff\"}").find("UTF-8") != std::string::npos);
  CHECK(
      malformed(std::string{"{\"lobby_id\":\"a\0\"}", 17}).starts_with("at byte 15: found a NUL"));
  CHECK(malformed(R"({"lobby_id":"\ud800"})").find("surrogate") != std::string::npos);
  CHECK(malformed(R"({"lobby_id":"\udc00"})").find("surrogate") != std::string::npos);
  CHECK(malformed(R"({"\udc00":1})").find("surrogate") != std::string::npos);
  CHECK(malformed(R"({"lobby_id": tru})").starts_with("at byte 14: expected a JSON value"));
  CHECK(malformed(R"({"lobby_id": nul)").starts_with("at byte 14: "));
  CHECK(malformed("[1]") == "found an array, expected an object");
  CHECK(malformed("7") == "found a number, expected an object");
  CHECK(malformed(R"("x")") == "found a string, expected an object");
  CHECK(malformed("null") == "found null, expected an object");
}

TEST_CASE("deep nesting is refused, not followed") {
  CHECK(problem_in(std::string(15'000, '[')).code == line_errc::malformed);
  CHECK(problem_in(R"({"lobby_id":)" + std::string(15'000, '[')).code == line_errc::wrong_type);
}

TEST_CASE("a member that the format does not allow is named, with those that it does") {
  CHECK(problem_in(R"({"lobbyId":1})") ==
        line_finding{line_errc::unknown_member,
                     R"(unknown member "lobbyId", did you mean "lobby_id"?)"});
  CHECK(problem_in(R"({"lobby_id":1,"lobbyId":1})").message ==
        R"(unknown member "lobbyId"; allowed: lobby_id, region_id, start_ts, stop_ts)");
  CHECK(problem_in(R"({"colour":1})").message ==
        R"(unknown member "colour"; allowed: lobby_id, region_id, start_ts, stop_ts)");
  CHECK(problem_in(R"({"lobby_id":1,"lobby_id":1})") ==
        line_finding{line_errc::duplicate_member, R"(member "lobby_id" appears twice; keep one)"});
  CHECK(name_of(line_errc::duplicate_member) == "duplicate_member");
  CHECK(problem_in(R"({"lobby_id":{"a":1}})") ==
        line_finding{line_errc::wrong_type, "lobby_id: found an object, expected a plain value"});
  CHECK(problem_in(R"({"lobby_id":1})") ==
        line_finding{line_errc::required,
                     "member \"region_id\" is missing; the members are lobby_id, "
                     "region_id, start_ts, stop_ts"});
}

TEST_CASE("ignored members are skipped, whatever their values are") {
  record_reader reader{members, {"@timestamp", "host", "date"}};
  std::array<record_field, 4> fields;
  const auto read = [&](const std::string& line) {
    auto finding = reader.read(line, fields);
    return finding ? std::string{name_of(finding->code)} : std::string{};
  };
  const std::string good = R"("lobby_id":"x","region_id":"y","start_ts":1)";
  for (const std::string value :
       {"1", "null", "true", R"("\udc00")", "[]", "{}", R"([1,[{"a":[]}],"b"])",
        R"({"lobby_id":{"host":[]},"colour":1})"}) {
    INFO(value);
    CHECK(read("{\"host\":" + value + "," + good + "}").empty());
    CHECK(read("{" + good + ",\"host\":" + value + "}").empty());
    CHECK(read(R"({"@timestamp":)" + value + "," + good + ",\"date\":" + value +
               ",\"date\":" + value + "}")
              .empty());
    CHECK(fields[1].text == "y");
    // What comes after them is checked as ever.
    CHECK(read("{\"host\":" + value + "," + good + R"(,"colour":1})") == "unknown_member");
    CHECK(read("{\"host\":" + value + "," + good + R"(,"stop_ts":{}})") == "wrong_type");
    CHECK(read("{\"host\":" + value + "}") == "required");
  }
  CHECK(read("{\"host\":{" + good + "}}") == "required");
  CHECK(read("{\"host\":[1," + good + "}") == "malformed");
  CHECK(read("{\"host\":" + std::string(8'000, '[') + std::string(8'000, ']') + "," + good + "}")
            .empty());
}

TEST_CASE("members of the format, and too many or odd names, cannot be ignored") {
  const auto why_not = [](std::vector<std::string> names) {
    const auto fine = check_ignored(members, names);
    return fine ? std::string{} : fine.error().detail;
  };
  CHECK(why_not({}).empty());
  CHECK(why_not({"date", "@timestamp", std::string(64, 'a')}).empty());
  CHECK(why_not({"date", "stop_ts"}) ==
        R"("stop_ts" is a member of the format, which cannot be ignored)");
  CHECK(why_not({""}).find("1 to 64 bytes") != std::string::npos);
  CHECK(why_not({std::string(65, 'a')}).find("1 to 64 bytes") != std::string::npos);
  CHECK(why_not({"\xff"}).find("1 to 64 bytes") != std::string::npos);
  CHECK(why_not(std::vector<std::string>(16, "a")).empty());
  CHECK(why_not(std::vector<std::string>(17, "a")) == "17 names; at most 16 are allowed");
}

TEST_CASE("an integer that looks like seconds is refused with its milliseconds") {
  const auto time_of = [](kind what, std::string_view text) {
    record_values values;
    const auto ms = values.time("a", record_field{what, text});
    return values.finding() ? values.finding()->message : std::to_string(ms);
  };
  CHECK(time_of(kind::number, "946684799") == "946684799");
  CHECK(time_of(kind::number, "946684800") ==
        "a: found 946684800, expected milliseconds since 1970, but these look like seconds: "
        "write 946684800000 for 2000-01-01T00:00:00.000Z");
  CHECK(time_of(kind::number, "4102444799").find("write 4102444799000 ") != std::string::npos);
  CHECK(time_of(kind::number, "4102444800") == "4102444800");
  CHECK(time_of(kind::number, "1767225600000") == "1767225600000");
  CHECK(time_of(kind::string, "1970-01-21T10:53:45.600Z") == "1767225600");
}

TEST_CASE("a reader is as good after a bad line as before") {
  record_reader reader{members};
  std::array<record_field, 4> fields;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(reader.read(R"({"lobby_id":"x","region_id":[)", fields).has_value());
    REQUIRE_FALSE(
        reader.read(R"({"lobby_id":"x","region_id":"y","start_ts":1})", fields).has_value());
    CHECK(fields[1].text == "y");
  }
  CHECK(reader.read(input_line{1, {}, true}, fields)->code == line_errc::too_long);
}

TEST_CASE("values are taken by type, and the first wrong one is kept") {
  using field = record_field;
  record_values values;
  CHECK(to_string(values.id("a", field{kind::string, "00000000-0000-0000-0000-00000000000A"})) ==
        "00000000-0000-0000-0000-00000000000a");
  CHECK(values.identifier("a", field{kind::string, "eu-1"}) == "eu-1");
  CHECK(values.label("a", field{kind::string, "Übung 1"}) == "Übung 1");
  CHECK(values.time("a", field{kind::number, "1000"}) == 1'000);
  CHECK(values.time("a", field{kind::string, "1970-01-01T00:00:01Z"}) == 1'000);
  CHECK(values.flag("a", field{kind::boolean, "true"}));
  CHECK_FALSE(values.finding());
  CHECK(values.identifier("b", field{kind::string, "EU"}).empty());
  CHECK(values.id("c", field{kind::number, "1"}) == uuid{});
  CHECK(values.finding() ==
        line_finding{line_errc::invalid,
                     R"(b: found "EU", expected 1 to 32 of a-z, 0-9 and -, no - at either end)"});
}

TEST_CASE("a second 60 where no leap second can be is refused with the seconds that are allowed") {
  record_values values;
  values.time("a", {kind::string, "2026-03-05T12:00:60Z"});
  CHECK(values.finding() ==
        line_finding{line_errc::invalid,
                     "a: found \"2026-03-05T12:00:60Z\", expected a second from 0 to 59 (60, a "
                     "leap second, only at 23:59 UTC on the last day of a month)"});
}

TEST_CASE("a value of the wrong type is told from a wrong value") {
  const auto code = [](auto take) {
    record_values values;
    take(values);
    return values.finding()->code;
  };
  const record_field none{kind::null, {}};
  CHECK(code([&](auto& in) { in.id("a", none); }) == line_errc::wrong_type);
  CHECK(code([&](auto& in) { in.time("a", none); }) == line_errc::wrong_type);
  CHECK(code([&](auto& in) { in.label("a", none); }) == line_errc::wrong_type);
  CHECK(code([&](auto& in) { in.flag("a", none); }) == line_errc::wrong_type);
  CHECK(code([&](auto& in) { in.id("a", {kind::string, "x"}); }) == line_errc::invalid);
  CHECK(code([&](auto& in) { in.time("a", {kind::number, "1.5"}); }) == line_errc::invalid);
  CHECK(code([&](auto& in) { in.label("a", {kind::string, " "}); }) == line_errc::invalid);
}
