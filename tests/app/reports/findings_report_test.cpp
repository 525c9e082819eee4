#include "app/reports/findings_report.hpp"

#include "app/reports/validated_file.hpp"
#include "model/text/unicode.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace matchcloud::app {
namespace {

/// A file with one finding whose texts contain characters that the formats must escape.
validated_file with_finding() {
  validated_file file;
  file.name = "a dir/50%,b:c.json";
  file.text = "{\n  \"name\": 12\n}";
  file.findings = {{{{"config", "a/b~"}, "wrong-type", "50% \"a\",\r\nb: c", 12}, {2, 11}}};
  return file;
}

validated_file malformed() {
  validated_file file;
  file.name = "/b.json";
  file.text = "{,}";
  file.error = unusable_file{base::errc::body_malformed, "expected a name", 1, {1, 2}};
  return file;
}

validated_file missing() {
  validated_file file;
  file.name = "c\xff\n.json";
  file.error = unusable_file{base::errc::io_failed, "cannot be opened", std::nullopt, {}};
  return file;
}

std::string all(findings_report& report) {
  auto text = report.begin();
  for (const auto& file : {with_finding(), malformed(), missing(), validated_file{}})
    text += report.add(file);
  return text + report.end();
}

TEST_CASE("the text report is as a compiler's") {
  CHECK(all(*make_text_report(false)) == "a dir/50%,b:c.json:2:11: wrong-type: 50% \"a\",\r\nb: c\n"
                                         "  \"name\": 12\n"
                                         "          ^\n"
                                         "/b.json:1:2: body_malformed: expected a name\n"
                                         "{,}\n"
                                         " ^\n"
                                         "c\uFFFD\\u000a.json: io_failed: cannot be opened\n");
}

TEST_CASE("colours change nothing but the colours") {
  const auto coloured = make_text_report(true)->add(malformed());
  CHECK(coloured == "\x1b[1m/b.json:1:2:\x1b[0m \x1b[1;31mbody_malformed:\x1b[0m expected a name\n"
                    "{,}\n"
                    " \x1b[1;32m^\x1b[0m\n");
}

/// The printed excerpt for the first occurrence of `what`.
std::string excerpt_of(const std::string& text, const std::string& what) {
  auto file = malformed();
  file.text = text;
  file.error->offset = text.find(what);
  const auto report = make_text_report(false)->add(file);
  return report.substr(report.find('\n') + 1);
}

TEST_CASE("a caret stands under its place") {
  CHECK(excerpt_of("a\n\t \t12,\nb", "12") == "   12,\n   ^\n");
  CHECK(excerpt_of("\"é\": 12", "12") == "\"é\": 12\n     ^\n");
  CHECK(excerpt_of("12\r\n13", "12") == "12\n^\n");
}

TEST_CASE("invisible characters and terminal controls are written as escapes") {
  CHECK(excerpt_of("\"\x1b[31m\" 12", "12") == "\"\\u001b[31m\" 12\n             ^\n");
  CHECK(excerpt_of("\"\u202e\" 12", "12") == "\"\\u202e\" 12\n         ^\n");
  CHECK(excerpt_of("\"\xff\" 12", "12") == "\"\uFFFD\" 12\n    ^\n");
  CHECK(excerpt_of("\r12", "12") == "\\u000d12\n      ^\n");
}

TEST_CASE("of a long line only what is around the place is shown") {
  const std::string many(400, 'x');
  CHECK(excerpt_of("12" + many, "12") == "12" + many.substr(0, 58) + "…\n^\n");
  CHECK(excerpt_of(many + " 12", "12") ==
        many.substr(0, 59) + " 12\n" + std::string(60, ' ') + "^\n");
  std::string wide;
  for (int i = 0; i < 100; ++i)
    wide += "日";
  CHECK(excerpt_of(wide + "a12" + wide, "12") == wide.substr(0, 19UL * 3) + "a12" +
                                                     wide.substr(0, 58UL * 3) + "…\n" +
                                                     std::string(20, ' ') + "^\n");
}

TEST_CASE("property: any bytes give a bounded excerpt in UTF-8 without control characters") {
  REQUIRE(rc::check([](const std::string& text, std::uint8_t place) {
    auto file = malformed();
    file.text = text + text + text + text;
    file.error->offset = place;
    const auto report = make_text_report(false)->add(file);
    RC_ASSERT(model::find_malformed_utf8(report) == report.npos);
    RC_ASSERT(report.size() < 2'000);
    for (const char c : report)
      RC_ASSERT(c == '\n' || static_cast<unsigned char>(c) >= ' ');
  }));
}

TEST_CASE("a place behind the last line has no excerpt") {
  auto file = malformed();
  file.text = "{\n";
  file.error->offset = 2;
  CHECK(make_text_report(false)->add(file) == "/b.json:1:2: body_malformed: expected a name\n");
}

TEST_CASE("the JSON report has a member for each file, in order") {
  CHECK(all(*make_json_report()) ==
        R"({"files":[{"file":"a dir/50%,b:c.json","kind":"version","errors":[)"
        R"({"path":["config","a/b~"],"code":"wrong-type","message":"50% \"a\",\r\nb: c",)"
        R"("line":2,"column":11,"offset":12}]},)"
        R"({"file":"/b.json","kind":"version","errors":[],"error":)"
        R"({"code":"body_malformed","message":"expected a name","line":1,"column":2,"offset":1}},)"
        R"({"file":"c\uFFFD\n.json","kind":"version","errors":[],"error":)"
        R"({"code":"io_failed","message":"cannot be opened"}},)"
        R"({"file":"","kind":"version","errors":[]}],"findings":1})"
        "\n");
}

TEST_CASE("the SARIF report has results with places, and what could not be judged") {
  auto log = all(*make_sarif_report());
  const std::string_view version = "\"version\":\"";
  const auto begin = log.rfind(version) + version.size();
  log.replace(begin, log.find('"', begin) - begin, "VERSION");
  CHECK(log ==
        R"({"version":"2.1.0","$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[)"
        R"({"columnKind":"unicodeCodePoints","results":[)"
        R"({"ruleId":"wrong-type","level":"error","message":{"text":"50% \"a\",\r\nb: c"},)"
        R"("locations":[{"physicalLocation":{"artifactLocation":)"
        R"({"uri":"a%20dir/50%25%2Cb%3Ac.json"},)"
        R"("region":{"startLine":2,"startColumn":11}},)"
        R"("logicalLocations":[{"fullyQualifiedName":"/config/a~1b~0"}]}]},)"
        R"({"ruleId":"body_malformed","level":"error","message":{"text":"expected a name"},)"
        R"("locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///b.json"},)"
        R"("region":{"startLine":1,"startColumn":2}}}]}],)"
        R"("tool":{"driver":{"name":"matchcloud","version":"VERSION","rules":[)"
        R"({"id":"wrong-type"},{"id":"body_malformed"}]}},)"
        R"("invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[)"
        R"({"level":"error","descriptor":{"id":"body_malformed"},)"
        R"("message":{"text":"expected a name"},)"
        R"("locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///b.json"}}}]},)"
        R"({"level":"error","descriptor":{"id":"io_failed"},)"
        R"("message":{"text":"cannot be opened"},)"
        R"("locations":[{"physicalLocation":{"artifactLocation":{"uri":"c%FF%0A.json"}}}]}]}]}]})"
        "\n");
}

TEST_CASE("the GitHub report is workflow commands, one a line, whatever the texts hold") {
  CHECK(all(*make_github_report()) ==
        "::error file=a dir/50%25%2Cb%3Ac.json,line=2,col=11,title=wrong-type::50%25 "
        "\"a\",%0D%0Ab: c\n"
        "::error file=/b.json,line=1,col=2,title=body_malformed::expected a name\n"
        "::error file=c\uFFFD\\u000a.json,title=io_failed::cannot be opened\n");
}

TEST_CASE("no name of a file or member acts on the terminal that shows a report") {
  validated_file file;
  file.name = "\x1b[2J\u009b2J\u202e.json";
  file.text = "{\"\u009b2J\": 1}";
  file.findings = {{{{"\x1b[2J\u009b2J\u202e"}, "unknown-member", "says", 1}, {1, 2}}};
  for (const auto& make : std::vector<std::function<std::unique_ptr<findings_report>()>>{
           [] { return make_text_report(false); }, make_json_report, make_sarif_report,
           make_github_report}) {
    const auto report = make();
    auto printed = report->begin();
    printed += report->add(file);
    printed += report->end();
    CAPTURE(printed);
    for (const std::string_view acts : {"\x1b", "\u009b", "\u202e"})
      CHECK(printed.find(acts) == std::string::npos);
  }
}

TEST_CASE("bytes that are not UTF-8 are replaced one by one") {
  CHECK(well_formed("a\xff\xfeé\xc3") == "a\uFFFD\uFFFDé\uFFFD");
  CHECK(well_formed("").empty());
}

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

TEST_CASE("a text that is not a JSON object has a place and a sentence, and no findings") {
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
