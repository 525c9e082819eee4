#include "tests/model/validation/validation_cases.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"

#include "tests/model/validation/case_notation.hpp"

#include <rapidjson/document.h>

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

using steps = std::vector<std::string>;

/// The paths at which an object occurs in a configuration.
struct object_places {
  std::string_view object;
  std::vector<steps> places;
};

const std::vector<object_places>& all_places() {
  static const steps mode{"matchmaker", "game_modes", "m"};
  const auto in_mode = [](steps rest) {
    rest.insert(rest.begin(), mode.begin(), mode.end());
    return rest;
  };
  const auto both = [&](const steps& rest) {
    auto in_matchmaker = rest;
    in_matchmaker.insert(in_matchmaker.begin(), "matchmaker");
    return std::vector{in_matchmaker, in_mode(rest)};
  };
  const auto with_regions = [&](const std::string& member) {
    auto places = both({member});
    for (auto& each : both({"regions", "atl", member}))
      places.push_back(std::move(each));
    return places;
  };
  const auto verification = [&](const std::string& action) {
    return in_mode({"actions", action, "verification"});
  };
  static const std::vector<object_places> all{
      {"cdn", {{"cdn"}}},
      {"matchmaker", {{"matchmaker"}}},
      {"captcha", {{"matchmaker", "captcha"}}},
      {"game_modes", {{"matchmaker", "game_modes"}}},
      {"tier", with_regions("tier")},
      {"idle_lobbies", with_regions("idle_lobbies")},
      {"max_players",
       {{"matchmaker", "max_players"},
        {"matchmaker", "max_players_direct"},
        {"matchmaker", "max_players_party"},
        in_mode({"max_players"}),
        in_mode({"max_players_direct"}),
        in_mode({"max_players_party"})}},
      {"regions", both({"regions"})},
      {"container_runtime", both({"container_runtime"})},
      {"ports", both({"container_runtime", "ports"})},
      {"port", both({"container_runtime", "ports", "p"})},
      {"verification", {verification("create"), verification("find"), verification("join")}}};
  return all;
}

const std::vector<steps>& child_specs_of(const std::string& object) {
  const auto found = std::ranges::find(all_places(), object, &object_places::object);
  if (found == all_places().end()) throw std::invalid_argument("there is no kind " + object);
  return found->places;
}

/// A configuration with `value` at `place` and nothing else.
std::string config_with(const std::string& value, const steps& place) {
  std::string config;
  for (const auto& step : place)
    config += (step == "verification" ? R"({"enabled":true,")" : "{\"") + step + "\":";
  return config + value + std::string(place.size(), '}');
}

std::string version_with(const std::string& config) {
  return R"({"display_name":"v","config":)" + config + "}";
}

payload_kind kind_of(const std::string& word) {
  if (word == "game") return payload_kind::game;
  if (word == "group") return payload_kind::group;
  return payload_kind::version;
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
  else if (name == "regions" && value.IsArray()) // a limit has this name, too
    test.names.regions = texts_of(value);
  else if (name == "aliases")
    for (const auto& each : value.GetObject())
      test.rules.further_aliases.push_back({text_of(each.name), text_of(each.value)});
  else
    set_limit(test.rules.limits, name, value);
}

expected_finding finding_of(const json& from) {
  if (from.IsObject())
    return {texts_of(from["path"]), text_at(from, "code"), text_at(from, "says")};
  const auto line = text_of(from);
  const auto space = line.find(' ');
  expected_finding finding{{}, line.substr(std::min(space + 1, line.size()))};
  for (std::size_t at = 0; at < space;) {
    if (space == line.npos || line[at] != '/') throw std::invalid_argument("no finding: " + line);
    const auto end = std::min(line.find('/', at + 1), space);
    finding.path.push_back(line.substr(at + 1, end - at - 1));
    at = end;
  }
  return finding;
}

/// The parts of a case that do not depend on the object's path.
validation_case common_case(const json& from) {
  validation_case test;
  test.kind = kind_of(text_at(from, "kind"));
  test.error = text_at(from, "error");
  test.detail = text_at(from, "detail");
  if (from.HasMember("unknown_members")) test.rules.unknown_members = unknown_members::ignore;
  if (from.HasMember("rules"))
    for (const auto& each : from["rules"].GetObject())
      set_rule(test, text_of(each.name), each.value);
  // Reference names must be sorted, whatever their order in the file.
  std::ranges::sort(test.names.tiers);
  if (test.names.regions) std::ranges::sort(*test.names.regions);
  if (from.HasMember("findings"))
    for (const auto& each : from["findings"].GetArray())
      test.findings.push_back(finding_of(each));
  else if (test.error.empty())
    throw std::invalid_argument("neither findings nor error");
  return test;
}

void add_cases(std::vector<validation_case>& cases, const json& from, const std::string& about) {
  const auto common = common_case(from);
  const auto kind = text_at(from, "kind");
  const auto body =
      from.HasMember("text") ? text_at(from, "text") : e2e::json_text(from["payload"]);
  const auto add = [&](const std::string& whole, const std::string& name) -> validation_case& {
    auto& test = cases.emplace_back(common);
    test.about = name;
    test.body = whole;
    return test;
  };
  if (kind == "version" || kind == "game" || kind == "group") {
    add(body, about);
  } else if (kind == "config") {
    add(version_with(body), about);
  } else {
    for (const auto& place : child_specs_of(kind)) {
      auto& test = add(version_with(config_with(body, place)), about);
      steps prefix{"config"};
      prefix.insert(prefix.end(), place.begin(), place.end());
      test.about += " (at" + to_string({prefix, ")"});
      // `too-many-errors` has no path.
      for (auto& each : test.findings)
        if (each.code != "too-many-errors")
          each.path.insert(each.path.begin(), prefix.begin(), prefix.end());
    }
  }
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
    for (auto& each : document.GetArray()) {
      const auto about = file.filename().string() + ": " + text_at(each, "name");
      try {
        write_out(each, document.GetAllocator());
        add_cases(cases, each, about);
      } catch (const std::invalid_argument& problem) {
        throw std::runtime_error(about + ": " + problem.what());
      }
    }
  }
  return cases;
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(fixtures::source_path("tests/model") / folder))
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
