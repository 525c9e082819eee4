// Runs the cases of tests/model/validation/*.json: adding a case needs no code. A case has `name`,
// `kind` (version, game, group; config: wrapped into a version), `payload` or, where the spelling
// matters, `text`, and either `findings` (path and code, in order) or `error` and optionally a part
// of its `detail`. `unknown_members: ignore` as on the command line.
#include "model/validation.hpp"

#include "tests/catch.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace matchcloud;
using namespace std::string_literals;

namespace {

const std::filesystem::path folder = std::filesystem::path{MATCHCLOUD_TEST_FILES} / "validation";

std::vector<std::filesystem::path> json_files(const std::filesystem::path& where) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(where))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string text_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

std::string body_of(const rapidjson::Value& test) {
  std::string body;
  if (test.HasMember("text")) {
    body = text_of(test["text"]);
  } else {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
    test["payload"].Accept(writer);
    body.assign(buffer.GetString(), buffer.GetSize());
  }
  if (text_of(test["kind"]) == "config") return R"({"display_name":"v","config":)" + body + "}";
  return body;
}

model::payload_kind kind_of(const rapidjson::Value& test) {
  const auto kind = text_of(test["kind"]);
  if (kind == "game") return model::payload_kind::game;
  if (kind == "group") return model::payload_kind::group;
  REQUIRE((kind == "version" || kind == "config"));
  return model::payload_kind::version;
}

std::string expected_findings(const rapidjson::Value& test) {
  std::string lines;
  for (const auto& finding : test["findings"].GetArray()) {
    for (const auto& step : finding["path"].GetArray())
      lines += "/" + text_of(step);
    lines += " " + text_of(finding["code"]) + "\n";
  }
  return lines;
}

std::string found_findings(const std::vector<model::finding>& findings) {
  std::string lines;
  for (const auto& finding : findings) {
    for (const auto& step : finding.path)
      lines += "/" + step;
    lines += " " + std::string{finding.code} + "\n";
  }
  return lines;
}

void run(const rapidjson::Value& test) {
  model::validation_rules rules;
  if (test.HasMember("unknown_members")) rules.unknown_members = model::unknown_members::ignore;
  const auto findings =
      model::validate(kind_of(test), body_of(test), rules, model::default_reference_names());
  if (test.HasMember("error")) {
    REQUIRE_FALSE(findings.has_value());
    CHECK(base::describe(findings.error().code).code == text_of(test["error"]));
    if (test.HasMember("detail"))
      CHECK(findings.error().detail.find(text_of(test["detail"])) != std::string::npos);
    return;
  }
  REQUIRE(findings.has_value());
  CHECK(found_findings(*findings) == expected_findings(test));
}

} // namespace

TEST_CASE("validation gives the findings that the tables list") {
  const auto files = json_files(folder);
  REQUIRE_FALSE(files.empty());
  for (const auto& file : files) {
    rapidjson::Document cases;
    cases.Parse(content(file).c_str());
    INFO(file);
    REQUIRE(cases.IsArray());
    for (const auto& test : cases.GetArray()) {
      INFO(file.filename().string() << ": " << text_of(test["name"]));
      run(test);
    }
  }
}

TEST_CASE("real configurations give the findings that were reviewed") {
  auto names = model::default_reference_names();
  names.regions = {"atl", "fra", "lax", "sin", "syd", "tor"};
  const auto configs = json_files(folder.parent_path() / "real-configs");
  REQUIRE(configs.size() == 12);
  for (const auto& file : configs) {
    INFO(file);
    const auto findings = model::validate(model::payload_kind::version, content(file), {}, names);
    REQUIRE(findings.has_value());
    CHECK(model::render_findings(*findings) + "\n" == content(folder / "golden" / file.filename()));
  }
}
