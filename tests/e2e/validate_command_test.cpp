// The command `validate`.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/model/validation/validation_cases.hpp"
#include "tests/service/server.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

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
  CHECK(text_at(document["files"][1]["error"], "code") == "body_malformed");
  CHECK(document["files"][1]["error"]["column"].GetUint() == 2);
  CHECK(text_at(document["files"][2]["error"], "code") == "io_failed");
  CHECK(document["files"][3]["errors"].Empty());

  const auto sarif = in("sarif");
  CHECK(sarif.exit_code == 2);
  const auto log = parse_json(sarif.out);
  CHECK(text_at(log, "version") == "2.1.0");
  const auto& of_run = log["runs"][0];
  CHECK(text_at(of_run["tool"]["driver"], "name") == "matchcloud");
  REQUIRE(of_run["results"].Size() == 2);
  const auto& result = of_run["results"][0];
  CHECK(text_at(result, "ruleId") == "invalid");
  CHECK(text_at(result, "level") == "error");
  CHECK(contains(text_at(result["message"], "text"), "starts with a space"));
  const auto& place = result["locations"][0]["physicalLocation"];
  CHECK(text_at(place["artifactLocation"], "uri") == "file://" + folder.path("a%20b.json"));
  CHECK(place["region"]["startLine"].GetUint() == 2);
  CHECK(place["region"]["startColumn"].GetUint() == 19);
  CHECK_FALSE(of_run["invocations"][0]["executionSuccessful"].GetBool());
  CHECK(of_run["invocations"][0]["toolExecutionNotifications"].Size() == 2);

  const auto github = in("github");
  CHECK(github.exit_code == 2);
  CHECK(contains(github.out, "::error file=" + files[0] + ",line=2,col=19,title=invalid::"));
  CHECK(std::count(github.out.begin(), github.out.end(), '\n') == 3);
}

TEST_CASE("the same files give the same bytes", "[operations]") {
  const temporary_directory folder;
  const auto wrong = folder.file("wrong.json", wrong_group);
  for (const std::string format : {"text", "json", "sarif", "github"}) {
    const arguments words{"--format", format, wrong, wrong};
    CHECK(validate(words).out == validate(words, {"MATCHCLOUD_COMPLETE=true"}).out);
  }
}

TEST_CASE("comments and trailing commas are refused by name, in files and over HTTP",
          "[operations]") {
  const temporary_directory folder;
  const server over_http;
  for (const auto& [text, says] :
       {std::pair<std::string, std::string>{"{\n // c\n}", "JSON has no comments"},
        {"{ /* c */ }", "JSON has no comments"},
        {"{}\n# c", "JSON has no comments"},
        {"{\"display_name\": \"Team\",}", "JSON allows no comma before `}`"}}) {
    const auto got = validate({folder.file("a.json", text)});
    CHECK(got.exit_code == 2);
    CHECK(contains(got.out, ": body_malformed: " + says));
    raw_connection client{over_http.data()};
    const auto answer = client.ask(request("POST", groups_target, text));
    CHECK(answer.status == 400);
    CHECK(contains(text_at(parse_json(answer.body), "detail"), says));
  }
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

  for (const std::string wrong : {"[limits]\ngroup-display-nam = 6\n", "loops = 999\n", "[limits\n",
                                  "[limits]\ngroup-display-name = 0\n"}) {
    const auto refused = with(wrong);
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
    CHECK(contains(refused.errors, "rules.toml:"));
  }
  CHECK(contains(with("[limits]\ngroup-display-nam = 6\n").errors, "\"group-display-name\"?"));
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
  CHECK(colours("always", {"NO_COLOR=1"}));
  CHECK_FALSE(colours("never", {}));
  CHECK_FALSE(colours("auto", {})); // stdout is a pipe
}

TEST_CASE("validate that is asked for wrongly exits with 2", "[operations]") {
  for (const arguments& wrong :
       {arguments{}, arguments{"--kind", "lobby", "a.json"}, arguments{"--format", "xml", "a.json"},
        arguments{"--color", "maybe", "a.json"}, arguments{"-", "-"}, arguments{"--rules"},
        arguments{"--rules", "", "a.json"}}) {
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

/// A rules file with the names of the shared world's catalog.
std::string rules_of_catalog(const temporary_directory& folder) {
  std::string text = "[rules]\n";
  for (const auto& [plural, id] : {std::pair{"tiers", "tier"}, std::pair{"regions", "region_id"}}) {
    const auto listed = run(
        {"catalog", "list", plural, "--data-dir", shared_world().data_dir(), "--format", "json"});
    const auto document = parse_json(listed.out);
    REQUIRE(document.IsObject());
    text += std::string{plural} + " = [";
    for (const auto& each : document[plural].GetArray())
      text += "\"" + (each.IsString() ? std::string{each.GetString()} : text_at(each, id)) + "\", ";
    text += "]\n";
  }
  return folder.file("rules.toml", text);
}

struct asked_body {
  std::string kind;
  std::string target;
  std::string text;
};

/// The bodies of all validation cases, whatever their rules, and real configurations.
std::vector<asked_body> asked_bodies() {
  using matchcloud::model::payload_kind;
  std::vector<asked_body> all;
  for (const auto& each : matchcloud::model::validation_cases())
    switch (each.kind) {
    case payload_kind::version: all.push_back({"version", versions_target, each.body}); break;
    case payload_kind::game: all.push_back({"game", games_target, each.body}); break;
    case payload_kind::group: all.push_back({"group", groups_target, each.body}); break;
    }
  for (const auto& file : matchcloud::model::json_files("real-configs"))
    all.push_back({"version", versions_target, matchcloud::model::content(file)});
  return all;
}

/// The report entries of `validate` for each body, in order.
std::vector<rapidjson::Document> judged_offline(const std::vector<asked_body>& bodies) {
  const temporary_directory folder;
  std::map<std::string, arguments> words_of;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    words_of[bodies[i].kind].push_back(folder.file(std::to_string(i) + ".json", bodies[i].text));
  const auto rules = rules_of_catalog(folder);
  std::vector<rapidjson::Document> all(bodies.size());
  for (auto& [kind, files] : words_of) {
    arguments words{"--kind", kind, "--format", "json", "--rules", rules};
    words.insert(words.end(), files.begin(), files.end());
    const auto report = parse_json(validate(words).out);
    REQUIRE(report.IsObject());
    for (const auto& each : report["files"].GetArray()) {
      const auto name = std::filesystem::path{text_at(each, "file")}.stem().string();
      all[std::stoul(name)].CopyFrom(each, all[std::stoul(name)].GetAllocator());
    }
  }
  return all;
}

TEST_CASE("validate says of a file what the service says of that body", "[operations]") {
  const server over_http;
  const auto bodies = asked_bodies();
  const auto offline = judged_offline(bodies);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    // A `config` alone is not a body of any operation.
    if (text_at(offline[i], "kind") == "config") continue;
    CAPTURE(bodies[i].text.substr(0, 1000));
    raw_connection client{over_http.data()};
    const auto answer = client.ask(request("POST", bodies[i].target, bodies[i].text));
    const auto online = parse_json(answer.body);
    REQUIRE(online.IsObject());
    if (offline[i].HasMember("error")) {
      const auto& error = offline[i]["error"];
      CHECK(answer.status == 400);
      CHECK(text_at(online, "code") == text_at(error, "code"));
      CHECK(text_at(online, "detail") ==
            "At line " + std::to_string(error["line"].GetUint()) + ", column " +
                std::to_string(error["column"].GetUint()) + " (byte " +
                std::to_string(error["offset"].GetUint()) + "): " + text_at(error, "message"));
      continue;
    }
    REQUIRE(answer.status == 200);
    const auto& here = offline[i]["errors"];
    const auto& there = online["errors"];
    REQUIRE(here.Size() == there.Size());
    for (rapidjson::SizeType at = 0; at < here.Size(); ++at)
      for (const auto* member : {"path", "code", "message"})
        CHECK(here[at][member] == there[at][member]);
  }
}

} // namespace
