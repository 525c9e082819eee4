#include "model/avatars/avatar.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <cstdint>
#include <limits>

namespace {

using namespace matchcloud::model;

const std::string game = "00000000-0000-4000-8000-000000000001";
const std::string upload = "00000000-0000-4000-8000-0000000000aa";

avatar some_avatar() {
  avatar made;
  made.game_id = *parse_uuid(game);
  made.upload_id = *parse_uuid(upload);
  made.display_name = "Red \"Panda\" \xF0\x9F\x90\xBC";
  made.create_ts_ms = 1'767'225'600'001;
  made.content_length = std::numeric_limits<std::uint64_t>::max();
  return made;
}

std::string listing(const std::vector<avatar>& avatars, std::string_view url = "http://h:1/x") {
  avatar_list_writer list{image_urls_below(std::string{url})};
  for (const auto& each : avatars)
    list.add(each);
  return list.take();
}

TEST_CASE("a listing has the specification's members and exact values") {
  CHECK(listing({}) == R"({"custom_avatars":[]})");
  CHECK(listing({some_avatar()}) ==
        R"({"custom_avatars":[{"upload_id":"00000000-0000-4000-8000-0000000000aa",)"
        "\"display_name\":\"Red \\\"Panda\\\" \xF0\x9F\x90\xBC\","
        R"("create_ts":"2026-01-01T00:00:00.001Z","content_length":18446744073709551615,)"
        R"("complete":false}]})");
}

TEST_CASE("only a complete avatar has a url") {
  auto each = some_avatar();
  each.image = parse_image_name("0123456789abcdef0123456789abcdef.jpg");
  CHECK(listing({each}).find("url") == std::string::npos);
  each.complete = true;
  CHECK(listing({each, each})
            .find(R"("complete":true,"url":"http://h:1/x/media/avatars/)" + upload +
                  R"(/0123456789abcdef0123456789abcdef.jpg"},{)") != std::string::npos);
}

// -- lines of an import ---------------------------------------------------------

std::variant<avatar_line, line_finding> read(std::string text) {
  static avatar_line_reader reader;
  static std::string kept;
  kept = std::move(text);
  return reader.read(input_line{1, {kept.data(), kept.size()}, false});
}

/// A valid line with one member's value replaced, or without that member if `value` is empty.
std::string line_with(const std::string& member, const std::string& value) {
  const std::vector<std::pair<std::string, std::string>> members{
      {"game_id", '"' + game + '"'},   {"upload_id", '"' + upload + '"'},
      {"display_name", "\"Panda\""},   {"create_ts", "\"2026-01-01T01:00:00.001+01:00\""},
      {"content_length", "5"},         {"complete", "true"},
      {"file", "\"images/panda.png\""}};
  std::string line = "{";
  for (const auto& [name, usual] : members) {
    const auto& text = name == member ? value : usual;
    if (!text.empty()) line += (line.size() > 1 ? ",\"" : "\"") + name + "\":" + text;
  }
  return line + "}";
}

line_finding problem_of(const std::string& text) {
  const auto got = read(text);
  INFO(text);
  REQUIRE(std::holds_alternative<line_finding>(got));
  return std::get<line_finding>(got);
}

TEST_CASE("a good line is an avatar and its file") {
  const auto got = read(line_with("", ""));
  REQUIRE(std::holds_alternative<avatar_line>(got));
  const auto& line = std::get<avatar_line>(got);
  CHECK(to_string(line.avatar.game_id) == game);
  CHECK(to_string(line.avatar.upload_id) == upload);
  CHECK(line.avatar.display_name == "Panda");
  CHECK(line.avatar.create_ts_ms == 1'767'225'600'001);
  CHECK(line.avatar.content_length == 5);
  CHECK(line.avatar.complete);
  CHECK(line.file == "images/panda.png");
}

TEST_CASE("content_length has its whole unsigned range, exactly") {
  REQUIRE(rc::check("every number comes through", [](std::uint64_t length) {
    const auto got = read(line_with("content_length", std::to_string(length)));
    RC_ASSERT(std::get<avatar_line>(got).avatar.content_length == length);
  }));
  CHECK(std::get<avatar_line>(read(line_with("content_length", "18446744073709551615")))
            .avatar.content_length == std::numeric_limits<std::uint64_t>::max());
  for (const auto* wrong : {"18446744073709551616", "-1", "1.5", "1e30"})
    CHECK(problem_of(line_with("content_length", wrong)).code == line_errc::invalid);
  for (const auto* wrong : {"\"5\"", "true", "null"})
    CHECK(problem_of(line_with("content_length", wrong)).code == line_errc::wrong_type);
}

TEST_CASE("an image's path stays below the import file") {
  for (const auto* good : {"a.png", "a/b/c.png", "..a/b..", "./a", "a/./b"})
    CHECK(std::holds_alternative<avatar_line>(
        read(line_with("file", '"' + std::string{good} + '"'))));
  for (const auto* bad : {"", "/etc/passwd", "..", "../a", "a/../b", "a/..", "a\\u0000b"}) {
    const auto finding = problem_of(line_with("file", '"' + std::string{bad} + '"'));
    CHECK(finding.code == line_errc::invalid);
    CHECK(finding.message.find("relative to the import file") != std::string::npos);
  }
}

TEST_CASE("a complete avatar needs a file, another has none") {
  CHECK(problem_of(line_with("file", "")).message.find("a complete avatar needs it") !=
        std::string::npos);
  auto incomplete = line_with("complete", "false");
  CHECK(problem_of(incomplete).code == line_errc::invalid);
  incomplete.replace(incomplete.find(",\"file\""), std::string::npos, "}");
  const auto got = read(incomplete);
  REQUIRE(std::holds_alternative<avatar_line>(got));
  CHECK(std::get<avatar_line>(got).file.empty());
}

TEST_CASE("a missing, unknown or wrong member of an avatar line is named") {
  for (const auto* name :
       {"game_id", "upload_id", "display_name", "create_ts", "content_length", "complete"}) {
    const auto finding = problem_of(line_with(name, ""));
    CHECK(finding.code == line_errc::required);
    CHECK(finding.message.find(name) != std::string::npos);
    CHECK(problem_of(line_with(name, "[]")).code == line_errc::wrong_type);
  }
  auto extra = line_with("", "");
  extra.insert(1, R"("upload":1,)");
  CHECK(problem_of(extra).code == line_errc::unknown_member);
  CHECK(problem_of(line_with("display_name", R"("\u0007")")).code == line_errc::invalid);
  CHECK(problem_of(line_with("game_id", "\"42\"")).code == line_errc::invalid);
}

} // namespace
