#include "app/reports/validated_file.hpp"

#include "tests/catch.hpp"

#include <algorithm>

namespace matchcloud::app {
namespace {

using model::payload_kind;

validated_file judged(const std::string& text, payload_kind kind = payload_kind::version,
                      const payload_rules& rules = default_payload_rules()) {
  return validate_text("a.json", text, kind, rules);
}

/// Each finding as `LINE:COLUMN CODE a/b`.
std::vector<std::string> findings(const validated_file& file) {
  std::vector<std::string> all;
  for (const auto& each : file.findings) {
    auto text = std::to_string(each.at.line) + ":" + std::to_string(each.at.column) + " ";
    text += each.found.code;
    for (const auto& step : each.found.path)
      text += (&step == &each.found.path.front() ? " " : "/") + step;
    all.push_back(text);
  }
  return all;
}

using expected = std::vector<std::string>;

TEST_CASE("a body is judged as the kind that is asked for, with places") {
  CHECK(findings(judged("{\n \"display_name\": 7}")) ==
        expected{"2:18 wrong-type display_name", "1:1 required config"});
  CHECK(findings(judged("{}", payload_kind::game)) == expected{"1:1 required display_name"});
  CHECK(judged("{}", payload_kind::group).kind == file_kind::group);
}

TEST_CASE("a config alone is judged as that of a version, with its own paths and places") {
  const auto config = judged("{\"kv\": 7,\n \"matchmaker\": {\"max_players\": \"8\"}}");
  CHECK(config.kind == file_kind::config);
  CHECK(findings(config) ==
        expected{"1:8 wrong-type kv", "2:32 wrong-type matchmaker/max_players"});
  CHECK(config.findings[0].found.offset == 7);
  // Members missing from the surrounding version are no findings; errors in the config are.
  CHECK(findings(judged(R"({"scripts": {}})")).empty());
  CHECK(findings(judged(R"({"scripts": {}, "x": 1})")).size() == 1);
}

TEST_CASE("a config alone is one only without the members of a version") {
  CHECK(judged(R"({"matchmaker": {}, "display_name": "v"})").kind == file_kind::version);
  CHECK(judged(R"({"matchmaker": {}, "config": {}})").kind == file_kind::version);
  CHECK(judged(R"({"matchmaker_of_old": {}, "dsplay_name": "v"})").kind == file_kind::version);
  CHECK(judged(R"({"lobbies": {}})").kind == file_kind::version);
  CHECK(judged("{}").kind == file_kind::version);
  CHECK(judged(R"({"matchmaker": {}})", payload_kind::game).kind == file_kind::game);
}

TEST_CASE("a config alone is recognised by a member that is misspelled") {
  const auto config = judged(R"({"matchmakr": {}})");
  CHECK(config.kind == file_kind::config);
  CHECK(findings(config) == expected{"1:2 unknown-member matchmakr"});
  CHECK(config.findings[0].found.message.find("Did you mean `matchmaker`?") != std::string::npos);
  CHECK(judged(R"({"confg": {}})").kind == file_kind::version);
}

TEST_CASE("a config alone may nest as deep as within a version") {
  const auto nested = [](std::size_t levels) {
    return "{\"kv\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  const auto has_right_type = [&](std::size_t levels) {
    return "{\"kv\":{\"x\":" + std::string(levels - 2, '[') + std::string(levels - 2, ']') + "}}";
  };
  CHECK(findings(judged(has_right_type(63))).empty());
  const auto deep = judged(nested(64));
  REQUIRE(deep.error);
  CHECK(deep.error->code == base::errc::body_too_deep);
  CHECK(deep.error->offset == 6 + 62);
  CHECK(judged("{\"display_name\":\"v\",\"config\":" + nested(64) + "}").error);
}

TEST_CASE("what is no JSON object has a place and a sentence, and no findings") {
  const auto comment = judged("{\n  // c\n}");
  REQUIRE(comment.error);
  CHECK(comment.error->code == base::errc::body_malformed);
  CHECK(comment.error->offset == 4);
  CHECK(comment.error->at.line == 2);
  CHECK(comment.error->at.column == 3);
  CHECK(comment.error->message.find("JSON has no comments") == 0);
  CHECK(comment.findings.empty());
  CHECK(judged("[]").error->code == base::errc::body_not_object);
  CHECK(judged("\xEF\xBB\xBF{}").error->message.find("byte order mark") != std::string::npos);
}

TEST_CASE("a file larger than a body may be is not judged") {
  auto rules = default_payload_rules();
  rules.body_limit_bytes = 30;
  const std::string fits = R"({"display_name":"Team one !!"})";
  REQUIRE(fits.size() == 30);
  CHECK(!judged(fits, payload_kind::game, rules).error);
  const auto large = judged(fits + " ", payload_kind::game, rules);
  REQUIRE(large.error);
  CHECK(large.error->code == base::errc::body_too_large);
  CHECK(!large.error->offset);
  CHECK(large.error->message.find("30") != std::string::npos);
}

} // namespace
} // namespace matchcloud::app
