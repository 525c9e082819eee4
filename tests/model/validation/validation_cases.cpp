#include "tests/model/validation/validation_cases.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace matchcloud::model {

namespace {

using json = rapidjson::Value;
using allocator_type = rapidjson::Document::AllocatorType;
using count = std::optional<std::uint64_t>;

std::string notation_text(const json& value) {
  if (!value.IsString()) throw std::invalid_argument("a notation lacks its text");
  return {value.GetString(), value.GetStringLength()};
}

std::uint64_t number_at(const json& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd() || !found->value.IsUint64())
    throw std::invalid_argument(std::string("a notation lacks the number ") + name);
  return found->value.GetUint64();
}

json string_from(const std::string& text, allocator_type& allocator) {
  return {text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator};
}

std::string counted(std::string text, count at) {
  if (!at) return text;
  for (auto mark = text.find('#'); mark != text.npos; mark = text.find('#', mark + 1))
    text.replace(mark, 1, std::to_string(*at));
  return text;
}

json written_out(const json& from, count at, allocator_type& allocator);

json repeated_text(const json& from, count at, allocator_type& allocator) {
  auto text = from.HasMember("first") ? notation_text(from["first"]) : std::string{};
  const auto piece = counted(notation_text(from["$repeat"]), at);
  for (auto left = number_at(from, "times"); left > 0; --left)
    text += piece;
  return string_from(text, allocator);
}

void add(json& to, json name, json value, allocator_type& allocator) {
  if (to.IsArray())
    to.PushBack(value, allocator);
  else
    to.AddMember(name, value, allocator);
}

void add_rest(json& to, const json& from, const char* name, allocator_type& allocator) {
  const auto found = from.FindMember(name);
  if (found == from.MemberEnd()) return;
  auto rest = written_out(found->value, {}, allocator);
  if (rest.GetType() != to.GetType())
    throw std::invalid_argument(std::string(name) + " is of another type than what it is added to");
  if (rest.IsArray()) {
    for (auto& each : rest.GetArray())
      add(to, {}, std::move(each), allocator);
  } else {
    for (auto& each : rest.GetObject())
      add(to, std::move(each.name), std::move(each.value), allocator);
  }
}

json many(const json& from, allocator_type& allocator) {
  const bool is_object = from.HasMember("name");
  json all{is_object ? rapidjson::kObjectType : rapidjson::kArrayType};
  if (!from.HasMember("of")) throw std::invalid_argument("$times without of");
  const auto begin = from.HasMember("from") ? number_at(from, "from") : 0;
  const auto end = begin + number_at(from, "$times");
  add_rest(all, from, "first", allocator);
  for (auto i = begin; i < end; ++i)
    add(all, is_object ? written_out(from["name"], i, allocator) : json{},
        written_out(from["of"], i, allocator), allocator);
  add_rest(all, from, "then", allocator);
  return all;
}

json written_out(const json& from, count at, allocator_type& allocator) {
  if (from.IsString()) return string_from(counted(notation_text(from), at), allocator);
  if (from.IsArray()) {
    json all{rapidjson::kArrayType};
    for (const auto& each : from.GetArray())
      all.PushBack(written_out(each, at, allocator), allocator);
    return all;
  }
  if (!from.IsObject()) return {from, allocator};
  if (from.HasMember("$repeat")) return repeated_text(from, at, allocator);
  if (from.HasMember("$times")) return many(from, allocator);
  if (from.HasMember("$count")) return json{number_at(from, "$count") + at.value_or(0)};
  json all{rapidjson::kObjectType};
  for (const auto& each : from.GetObject())
    all.AddMember(written_out(each.name, at, allocator), written_out(each.value, at, allocator),
                  allocator);
  return all;
}

/// Expands the shorthand of validation_cases.hpp. Throws std::invalid_argument for any other form.
void write_out(json& value, allocator_type& allocator) {
  value = written_out(value, {}, allocator);
}

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

/// The paths at which an object occurs in a configuration, with `*` for both a matchmaker and a
/// game mode.
const std::map<std::string, std::vector<std::string>, std::less<>> places_of{
    {"cdn", {"cdn"}},
    {"routes", {"cdn/routes"}},
    {"middlewares", {"cdn/routes/0/middlewares"}},
    {"headers", {"cdn/routes/0/middlewares/0/kind/custom_headers/headers"}},
    {"matchmaker", {"matchmaker"}},
    {"captcha", {"matchmaker/captcha"}},
    {"game_modes", {"matchmaker/game_modes"}},
    {"tier", {"*/tier", "*/regions/atl/tier"}},
    {"idle_lobbies", {"*/idle_lobbies", "*/regions/atl/idle_lobbies"}},
    {"max_players", {"*/max_players", "*/max_players_direct", "*/max_players_party"}},
    {"regions", {"*/regions"}},
    {"container_runtime", {"*/container_runtime"}},
    {"ports", {"*/container_runtime/ports"}},
    {"host_ports", {"*/container_runtime/ports"}},
    {"port", {"*/container_runtime/ports/p"}},
    {"verification",
     {"matchmaker/game_modes/m/actions/create/verification",
      "matchmaker/game_modes/m/actions/find/verification",
      "matchmaker/game_modes/m/actions/join/verification"}}};

steps steps_of(const std::string& path) {
  steps all;
  std::istringstream text{path};
  for (std::string step; std::getline(text, step, '/');)
    all.push_back(step);
  return all;
}

std::vector<steps> child_specs_of(const std::string& object) {
  const auto found = places_of.find(object);
  if (found == places_of.end()) throw std::invalid_argument("there is no kind " + object);
  std::vector<steps> all;
  for (const auto& path : found->second)
    if (path.starts_with('*')) {
      all.push_back(steps_of("matchmaker" + path.substr(1)));
      all.push_back(steps_of("matchmaker/game_modes/m" + path.substr(1)));
    } else {
      all.push_back(steps_of(path));
    }
  return all;
}

/// A configuration with `value` at `place` and what has to stand next to it.
std::string config_with(const std::string& value, const steps& place, bool is_on_host) {
  std::string opened;
  std::string closed;
  for (const auto& step : place) {
    const bool is_element = step == "0";
    opened += is_element ? "[" : "{";
    closed.insert(0, is_element ? "]" : "}");
    if (step == "verification") opened += R"("enabled":true,)";
    if (step == "middlewares") opened += R"("glob":"a","priority":0,)";
    if (step == "ports" && is_on_host) opened += R"("network_mode":"host",)";
    if (!is_element) opened += "\"" + step + "\":";
  }
  return opened + value + closed;
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
  const auto rest = line.substr(std::min(space + 1, line.size()));
  const auto colon = std::min(rest.find(": "), rest.size());
  expected_finding finding{
      {}, rest.substr(0, colon), rest.substr(std::min(colon + 2, rest.size()))};
  for (std::size_t at = 0; at < space;) {
    if (space == line.npos || line[at] != '/') throw std::invalid_argument("no finding: " + line);
    const auto end = std::min(line.find('/', at + 1), space);
    finding.path.push_back(line.substr(at + 1, end - at - 1));
    at = end;
  }
  return finding;
}

std::vector<expected_finding> findings_from(const json& list, rapidjson::SizeType begin) {
  std::vector<expected_finding> findings;
  for (auto i = begin; i < list.Size(); ++i)
    findings.push_back(finding_of(list[i]));
  return findings;
}

/// The parts that all cases of a group have in common.
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
  if (from.HasMember("findings")) test.findings = findings_from(from["findings"], 0);
  return test;
}

/// Puts `prefix` before the paths of all findings, but for `too-many-errors`, which has none.
void put_before(validation_case& test, const steps& prefix) {
  for (auto& each : test.findings)
    if (each.code != "too-many-errors")
      each.path.insert(each.path.begin(), prefix.begin(), prefix.end());
}

/// Adds `test`, whose body is still what `kind` says: at each path where that occurs.
void add_everywhere(std::vector<validation_case>& cases, const validation_case& test,
                    const std::string& kind) {
  const auto add = [&](const std::string& whole, const steps& prefix, const std::string& where) {
    auto& added = cases.emplace_back(test);
    added.body = whole;
    added.about += where;
    put_before(added, prefix);
  };
  if (kind == "version" || kind == "game" || kind == "group") return add(test.body, {}, "");
  if (kind == "config") return add(version_with(test.body), {"config"}, "");
  if (kind == "display_name")
    return add(R"({"config":{},"display_name":)" + test.body + "}", {"display_name"}, "");
  for (const auto& place : child_specs_of(kind)) {
    steps prefix{"config"};
    prefix.insert(prefix.end(), place.begin(), place.end());
    add(version_with(config_with(test.body, place, kind == "host_ports")), prefix,
        " (at" + to_string({prefix, ")"}));
  }
}

/// Adds a case, or those of a group, whose objects `cases` and `texts` have them by name.
void add_cases(std::vector<validation_case>& cases, const json& from, const std::string& file) {
  auto test = common_case(from);
  const auto kind = text_at(from, "kind");
  const auto add = [&](const json& name, const json& body, bool is_text) {
    test.about = file + ": " + text_of(name);
    test.body = is_text ? text_of(body) : e2e::json_text(body);
    add_everywhere(cases, test, kind);
  };
  if (from.HasMember("name")) {
    const bool is_text = from.HasMember("text");
    return add(from["name"], from[is_text ? "text" : "payload"], is_text);
  }
  const auto common = test.findings;
  for (const char* const list : {"cases", "texts"})
    if (from.HasMember(list))
      for (const auto& [name, value] : from[list].GetObject()) {
        test.findings = value.IsArray() ? findings_from(value, 1) : common;
        add(name, value.IsArray() ? value[0] : value, list == std::string_view{"texts"});
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
      try {
        write_out(each, document.GetAllocator());
        add_cases(cases, each, file.filename().string());
      } catch (const std::invalid_argument& problem) {
        throw std::runtime_error(file.string() + ": " + problem.what());
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
