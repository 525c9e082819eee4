// The commands `validate` and `schema`. The cases of validation are the tables in
// tests/model/validation.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

#include <rapidjson/pointer.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
using matchcloud::fixtures::temporary_directory;

command_result validate(arguments words, const environment& added = {},
                        const std::string& input_file = {}) {
  words.insert(words.begin(), "validate");
  return run(words, added, input_file);
}

const std::string sound_group = R"({"display_name": "Team"})";
const std::string wrong_group = "{\n  \"display_name\": \" Team\"\n}\n";

TEST_CASE("validate's exit code tells findings from files that cannot be judged", "[operations]") {
  const temporary_directory folder;
  const auto sound = folder.file("sound.json", sound_group);
  const auto wrong = folder.file("wrong.json", wrong_group);
  const auto broken = folder.file("broken.json", "{");
  const auto group = [](const arguments& files) {
    arguments words{"--kind", "group"};
    words.insert(words.end(), files.begin(), files.end());
    return validate(words);
  };
  const auto clean = group({sound, sound});
  CHECK(clean.exit_code == 0);
  CHECK(clean.out.empty());
  CHECK(clean.errors == "2 files, no findings\n");

  const auto one = group({wrong});
  CHECK(one.exit_code == 1);
  CHECK(one.out.starts_with(wrong + ":2:19: invalid: "));
  CHECK(one.out.ends_with("starts with a space. Remove the space.\n"
                          "  \"display_name\": \" Team\"\n"
                          "                  ^\n"));
  CHECK(one.errors == "1 finding in 1 file\n");
  CHECK(group({sound, wrong, wrong}).errors == "2 findings in 2 of 3 files\n");

  const auto all = group({wrong, broken, sound});
  CHECK(all.exit_code == 2);
  CHECK(contains(all.out, broken + ":1:2: body_malformed: expected a member name"));
  CHECK(all.out.find(wrong) < all.out.find(broken));
  CHECK(all.errors == "1 finding in 1 of 3 files, 1 unusable\n");
  CHECK(group({broken}).errors == "1 file, 1 unusable\n");
}

TEST_CASE("a file that cannot be read does not keep validate from the others", "[operations]") {
  const temporary_directory folder;
  const auto wrong = folder.file("wrong.json", wrong_group);
  const auto large = folder.file("large.json", std::string(1024UL * 1024 + 1, ' '));
  const auto got = validate(
      {"--kind", "group", folder.path("none.json"), folder.path(), large, "/dev/null", wrong});
  CHECK(got.exit_code == 2);
  CHECK(contains(got.out, "none.json: io_failed: cannot be opened: No such file or directory\n"));
  CHECK(contains(got.out, folder.path() + ": io_failed: cannot be read: Is a directory\n"));
  CHECK(contains(got.out, "large.json: body_too_large: the file has more than 1048576 bytes"));
  CHECK(contains(got.out, "/dev/null:1:1: body_malformed: the body is empty"));
  CHECK(contains(got.out, wrong + ":2:19: invalid: "));
  CHECK(contains(got.errors, "4 unusable"));
}

TEST_CASE("validate takes a body from stdin, or a config alone", "[operations]") {
  const temporary_directory folder;
  const auto config = folder.file("c.json", "{\"matchmaker\":\n {\"max_players\": \"8\"}}");
  const auto got = validate({"-"}, {}, config);
  CHECK(got.exit_code == 1);
  CHECK(contains(got.out, "stdin:2:18: wrong-type: `max_players` must be an integer"));
  const auto json = validate({"--format", "json", "-"}, {}, config);
  const auto document = parse_json(json.out);
  REQUIRE(document.IsObject());
  const auto& file = document["files"][0];
  CHECK(text_at(file, "file") == "stdin");
  CHECK(text_at(file, "kind") == "config");
  CHECK(std::string{file["errors"][0]["path"][0].GetString()} == "matchmaker");
  CHECK(file["errors"][0]["line"].GetUint() == 2);
  CHECK(file["errors"][0]["column"].GetUint() == 18);
  CHECK(file["errors"][0]["offset"].GetUint() == 32);
}

TEST_CASE("validate's JSON and SARIF are whole whatever the files are", "[operations]") {
  const temporary_directory folder;
  const arguments files{folder.file("a b.json", wrong_group), folder.file("broken.json", "{,"),
                        folder.path("none.json"), folder.file("sound.json", sound_group)};
  const auto in = [&](const std::string& format) {
    arguments words{"--kind", "group", "--format", format};
    words.insert(words.end(), files.begin(), files.end());
    return validate(words);
  };
  const auto json = in("json");
  CHECK(json.exit_code == 2);
  CHECK(json.errors.empty());
  const auto document = parse_json(json.out);
  CHECK(member_names(document) == arguments{"files", "findings"});
  CHECK(document["findings"].GetUint() == 1);
  REQUIRE(document["files"].Size() == files.size());
  for (rapidjson::SizeType i = 0; i < files.size(); ++i)
    CHECK(text_at(document["files"][i], "file") == files[i]);
  CHECK(document["files"][3]["errors"].Empty());

  const auto sarif = in("sarif");
  CHECK(sarif.exit_code == 2);
  const auto log = parse_json(sarif.out);
  CHECK(text_at(log, "version") == "2.1.0");
  CHECK(log["runs"][0]["results"].Size() == 2);
  const auto github = in("github");
  CHECK(github.exit_code == 2);
  CHECK(contains(github.out, "::error file=" + files[0] + ",line=2,col=19,title=invalid::"));
  CHECK(std::count(github.out.begin(), github.out.end(), '\n') == 3);
}

TEST_CASE("limits of a rules file change verdict and message of validate", "[operations]") {
  const temporary_directory folder;
  const auto group = folder.file("group.json", R"({"display_name": "Raiders"})");
  const auto with = [&](const std::string& rules) {
    return validate({"--kind", "group", "--rules", folder.file("rules.toml", rules), group});
  };
  CHECK(with("[limits]\ngroup-display-name = 7\n").exit_code == 0);
  const auto narrow = with("listen = \"0.0.0.0:80\"\n[limits]\ngroup-display-name = 6\n");
  CHECK(narrow.exit_code == 1);
  CHECK(contains(narrow.out, ":1:18: too-long: "));
  CHECK(contains(narrow.out, "6"));
  CHECK(contains(with("body-limit-bytes = 1024\n").errors, "no findings"));

  const auto refused = with("[limits]\ngroup-display-nam = 6\n");
  CHECK(refused.exit_code == 2);
  CHECK(refused.out.empty());
  CHECK(contains(refused.errors, "rules.toml:"));
}

TEST_CASE("validate says once that it does not know regions, unless it does", "[operations]") {
  const temporary_directory folder;
  const auto config = folder.file("c.json", R"({"matchmaker": {"regions": {"lon": {}}}})");
  const auto note = [](const command_result& of) { return contains(of.errors, "note: "); };
  const auto unknown = validate({config, config});
  CHECK(unknown.exit_code == 0);
  CHECK(std::count(unknown.errors.begin(), unknown.errors.end(), '\n') == 2);
  CHECK(note(unknown));
  CHECK(unknown.errors.find("note: ") == unknown.errors.rfind("note: "));
  CHECK_FALSE(note(validate({"--format", "github", config})));
  const auto rules = folder.file("rules.toml", "[rules]\nregions = [\"lon\"]\n");
  CHECK_FALSE(note(validate({"--rules", rules, config})));
  CHECK_FALSE(note(validate({folder.file("d.json", R"({"matchmaker": {}})")})));

  const auto service = run({"serve", "--config", rules, "--data-dir", folder.path("store")});
  CHECK(service.exit_code == 2);
  CHECK(contains(service.errors, "rules.toml:2"));
  CHECK(contains(service.errors, "catalog"));
}

TEST_CASE("validate has colours where they are asked for", "[operations]") {
  const temporary_directory folder;
  const auto wrong = folder.file("wrong.json", wrong_group);
  const auto colours = [&](const std::string& when, const environment& added) {
    return contains(validate({"--color", when, wrong}, added).out, "\x1b[");
  };
  CHECK(colours("always", {}));
  CHECK_FALSE(colours("never", {}));
  CHECK_FALSE(colours("auto", {})); // stdout is a pipe
}

TEST_CASE("validate that is asked for wrongly exits with 2", "[operations]") {
  for (const arguments& wrong :
       {arguments{}, arguments{"--kind", "lobby", "a.json"}, arguments{"-", "-"}}) {
    const auto got = validate(wrong);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, "--help"));
  }
}

TEST_CASE("validate that cannot write says so and exits with 2", "[operations]") {
  const temporary_directory folder;
  const auto wrong = folder.file("wrong.json", wrong_group);
  for (const std::string output : {">/dev/full", ">&-"}) {
    const auto errors = folder.path("errors");
    const auto line = matchcloud::fixtures::service_program() + " validate " + wrong + " 2>" +
                      errors + " " + output;
    const auto status = std::system(line.c_str());
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 2);
    CHECK(std::filesystem::file_size(errors) > 0);
  }
}

TEST_CASE("validate says of a file what the service says of that body", "[operations]") {
  const server over_http;
  const temporary_directory folder;
  for (const std::string& text :
       {std::string{R"({"config":{"matchmaker":{"max_playrs":"1"}}})"},
        std::string{R"({"x":[1.0e]})"},
        R"({"display_name":")" + std::string(100'000, ' ') + R"(","config":{}})"}) {
    CAPTURE(text.substr(0, 100));
    const auto report = parse_json(
        validate({"--kind", "version", "--format", "json", folder.file("a.json", text)}).out);
    const auto& here = report["files"][0];
    raw_connection client{over_http.data()};
    const auto there = parse_json(client.ask(request("POST", versions_target, text)).body);
    if (here.HasMember("error")) {
      CHECK(text_at(there, "code") == text_at(here["error"], "code"));
      CHECK(text_at(there, "detail").ends_with(": " + text_at(here["error"], "message")));
      continue;
    }
    REQUIRE(here["errors"].Size() > 0);
    REQUIRE(here["errors"].Size() == there["errors"].Size());
    for (rapidjson::SizeType at = 0; at < here["errors"].Size(); ++at)
      for (const auto* member : {"path", "code", "message"})
        CHECK(here["errors"][at][member] == there["errors"][at][member]);
  }
}

TEST_CASE("schema prints the JSON Schema of each kind, a version's by default", "[operations]") {
  const auto plain = run({"schema"});
  CHECK(plain.exit_code == 0);
  CHECK(plain.errors.empty());
  CHECK(plain.out.ends_with("}\n"));
  CHECK(run({"schema", "--kind", "version"}).out == plain.out);

  const auto version = parse_json(plain.out);
  CHECK(text_at(version, "$schema") == "https://json-schema.org/draft/2020-12/schema");
  CHECK(text_at(version, "$id") == "urn:matchcloud:schema:version");
  CHECK(rapidjson::Pointer{"/properties/config/properties/matchmaker"}.Get(version));

  for (const std::string kind : {"game", "group"}) {
    const auto schema = parse_json(run({"schema", "--kind", kind}).out);
    CHECK(text_at(schema, "$id") == "urn:matchcloud:schema:" + kind);
    const auto* longest = rapidjson::Pointer{"/properties/display_name/maxLength"}.Get(schema);
    REQUIRE(longest);
    CHECK(longest->GetInt() == 24);
  }
}

TEST_CASE("schema has the limits and names of the rules that it is given", "[operations]") {
  const temporary_directory folder;
  const auto rules = folder.file("rules.toml", "[rules]\nregions = [\"atl\"]\n"
                                               "[limits]\nversion-display-name = 7\n");
  const auto got = run({"schema", "--rules", rules});
  CHECK(got.exit_code == 0);
  const auto schema = parse_json(got.out);
  const auto* longest = rapidjson::Pointer{"/properties/display_name/maxLength"}.Get(schema);
  REQUIRE(longest);
  CHECK(longest->GetInt() == 7);
  CHECK(got.out.find(R"("enum": ["atl"])") != std::string::npos);

  const auto missing = run({"schema", "--rules", folder.path() + "/none.toml"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.out.empty());
  CHECK(missing.errors.find("none.toml") != std::string::npos);
}

} // namespace
