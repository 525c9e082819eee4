#include "tests/model/validation_cases.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace matchcloud::model {

namespace {

using json = rapidjson::Value;

std::string text_of(const json& value) {
  return {value.GetString(), value.GetStringLength()};
}

std::string text_at(const json& object, const char* name) {
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? std::string{} : text_of(found->value);
}

std::vector<std::string> texts_of(const json& array) {
  std::vector<std::string> texts;
  for (const auto& each : array.GetArray())
    texts.push_back(text_of(each));
  return texts;
}

std::string printed(const json& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string body_of(const json& test) {
  const auto body = test.HasMember("text") ? text_at(test, "text") : printed(test["payload"]);
  if (text_at(test, "kind") == "config") return R"({"display_name":"v","config":)" + body + "}";
  return body;
}

payload_kind kind_of(const std::string& word) {
  if (word == "game") return payload_kind::game;
  if (word == "group") return payload_kind::group;
  if (word == "version" || word == "config") return payload_kind::version;
  throw std::invalid_argument("there is no kind " + word);
}

service_edition edition_of(const std::string& word) {
  if (word == "open-source") return service_edition::open_source;
  if (word == "enterprise") return service_edition::enterprise;
  if (word == "hosted") return service_edition::hosted;
  throw std::invalid_argument("there is no edition " + word);
}

void set_limit(validation_limits& limits, const std::string& name, const json& value) {
  const auto table = validation_limit_table();
  const auto found = std::ranges::find(table, name, &validation_limit::name);
  if (found == table.end() || !value.IsUint64())
    throw std::invalid_argument("there is no rule " + name);
  limits.*found->value = value.GetUint64();
}

void set_rule(validation_case& test, const std::string& name, const json& value) {
  if (name == "edition")
    test.rules.edition = edition_of(text_of(value));
  else if (name == "complete")
    test.rules.complete = value.GetBool();
  else if (name == "tiers")
    test.names.tiers = texts_of(value);
  else if (name == "regions")
    test.names.regions = texts_of(value);
  else if (name == "aliases")
    for (const auto& each : value.GetObject())
      test.rules.further_aliases.push_back({text_of(each.name), text_of(each.value)});
  else
    set_limit(test.rules.limits, name, value);
}

validation_case case_of(const json& from, const std::string& about) {
  validation_case test;
  test.about = about;
  test.kind = kind_of(text_at(from, "kind"));
  test.body = body_of(from);
  test.error = text_at(from, "error");
  test.detail = text_at(from, "detail");
  if (from.HasMember("unknown_members")) test.rules.unknown_members = unknown_members::ignore;
  if (from.HasMember("rules"))
    for (const auto& each : from["rules"].GetObject())
      set_rule(test, text_of(each.name), each.value);
  // Names are in ascending order wherever they come from.
  std::ranges::sort(test.names.tiers);
  if (test.names.regions) std::ranges::sort(*test.names.regions);
  if (from.HasMember("findings"))
    for (const auto& each : from["findings"].GetArray())
      test.findings.push_back({texts_of(each["path"]), text_at(each, "code")});
  else if (test.error.empty())
    throw std::invalid_argument("neither findings nor error");
  return test;
}

} // namespace

std::string to_string(const expected_finding& finding) {
  std::string line;
  for (const auto& step : finding.path)
    line += "/" + step;
  return line + " " + finding.code;
}

std::vector<validation_case> validation_cases() {
  std::vector<validation_case> cases;
  for (const auto& file : json_files("validation")) {
    rapidjson::Document document;
    document.Parse(content(file).c_str());
    if (!document.IsArray()) throw std::runtime_error(file.string() + " is no JSON array");
    for (const auto& each : document.GetArray()) {
      const auto about = file.filename().string() + ": " + text_at(each, "name");
      try {
        cases.push_back(case_of(each, about));
      } catch (const std::invalid_argument& problem) {
        throw std::runtime_error(about + ": " + problem.what());
      }
    }
  }
  return cases;
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(MATCHCLOUD_TEST_FILES / folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

} // namespace matchcloud::model
