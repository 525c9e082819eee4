// Keeps the printed schema and the table consistent: the schema has exactly the table's members and
// gives the same verdict wherever JSON Schema can express the rule.
#include "model/validation/json_schema.hpp"
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"
#include "tests/model/validation/schema_probes.hpp"
#include "tests/model/validation/validation_cases.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace matchcloud::model {
namespace {

using json = rapidjson::Value;
using names = std::set<std::string>;

constexpr std::array kinds{payload_kind::version, payload_kind::game, payload_kind::group};

std::string text_in(const json& object, const char* name) {
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? std::string{} : found->value.GetString();
}

names texts_at(const json& object, const char* name) {
  names texts;
  const auto found = object.FindMember(name);
  if (found != object.MemberEnd())
    for (const auto& each : found->value.GetArray())
      texts.insert(each.GetString());
  return texts;
}

names member_names(const json& object) {
  names all;
  for (const auto& each : object.GetObject())
    all.insert(each.name.GetString());
  return all;
}

names types_of(const json& schema) {
  if (schema["type"].IsString()) return {schema["type"].GetString()};
  return texts_at(schema, "type");
}

/// Whether one of the printed keywords can express this finding.
bool is_expressible(const expected_finding& finding, const std::string& body) {
  static const names codes{"required",
                           "wrong-type",
                           "out-of-range",
                           "unknown-member",
                           "too-low",
                           "too-high",
                           "too-short",
                           "too-many",
                           "too-few",
                           "unknown-value",
                           "unknown-tier",
                           "unknown-region",
                           "invalid-name",
                           "invalid-scheme",
                           "not-available",
                           "conflicting",
                           "needs-gateway",
                           "unsupported-port",
                           "unsupported-port-range"};
  // The schema expresses reserved names of headers; those of `env` depend on ports.
  if (finding.code == "reserved")
    return std::ranges::find(finding.path, "headers") != finding.path.end();
  const bool is_ascii = std::ranges::all_of(body, [](char c) { return c > 0; });
  // A text has at least as many bytes as characters; they are equal only for ASCII.
  if (finding.code == "too-long") return is_ascii;
  // This limit also counts the matchmaker's variables.
  if (finding.code == "too-many" && finding.path.back() == "env") return false;
  return codes.contains(finding.code);
}

/// Compares the printed schema's verdict on a case with the findings that `validate` reports for
/// it.
void compare_verdicts(const validation_case& test) {
  const schema_evaluator evaluator{json_schema(test.kind, test.rules, test.names)};
  if (test.findings.empty()) CHECK(evaluator.accepts(test.body));
  if (std::ranges::any_of(test.findings,
                          [&](const auto& each) { return is_expressible(each, test.body); }))
    CHECK_FALSE(evaluator.accepts(test.body));
}

validation_rules rules_with_aliases() {
  validation_rules rules;
  rules.further_aliases = {{"container_runtime", "podman"},
                           {"gateway", "front"},
                           {"engine_a", "alpha"},
                           {"engine_a", "first"}};
  return rules;
}

TEST_CASE("the printed schema says which members are of the command line, and which are aliases") {
  const schema_evaluator schema{json_schema(payload_kind::version, {}, default_reference_names())};
  const auto description = [&](std::initializer_list<const char*> path) {
    const auto* at = &schema.root();
    for (const auto* name : path)
      at = &schema.resolved(*at)["properties"][name];
    return text_in(*at, "description");
  };
  const auto of_cli = [&](std::initializer_list<const char*> path) {
    return description(path).find("CLI-only") != std::string::npos;
  };
  CHECK(of_cli({"config", "cdn", "build_command"}));
  CHECK(of_cli({"config", "matchmaker", "container_runtime", "dockerfile"}));
  CHECK_FALSE(of_cli({"config", "cdn", "site_id"}));
  const auto docker = description({"config", "matchmaker", "docker"});
  CHECK(docker.find("The same as `container_runtime`") != std::string::npos);
  CHECK(description({"config", "matchmaker", "container_runtime"}).find("The same as") ==
        std::string::npos);
}

TEST_CASE(
    "the printed schema is of JSON Schema 2020-12, named after its kind, and always the same") {
  names ids;
  for (const auto kind : kinds) {
    const auto printed = json_schema(kind, {}, default_reference_names());
    CHECK(printed == json_schema(kind, {}, default_reference_names()));
    const schema_evaluator schema{printed};
    CHECK(text_in(schema.root(), "$schema") == "https://json-schema.org/draft/2020-12/schema");
    CHECK(text_in(schema.root(), "$id").starts_with("urn:matchcloud:schema:"));
    CHECK_FALSE(text_in(schema.root(), "title").empty());
    CHECK(text_in(schema.root(), "$comment")
              .starts_with("Validation also finds mistakes that JSON Schema"));
    ids.insert(text_in(schema.root(), "$id"));
  }
  CHECK(ids.size() == kinds.size());
}

TEST_CASE("the printed schema accepts and refuses what the tables of validation do") {
  for (const auto& test : validation_cases()) {
    INFO(test.about);
    if (test.error.empty()) compare_verdicts(test);
  }
}

TEST_CASE("the printed schema accepts and refuses the real configurations as validation does") {
  for (const auto& file : json_files("real-configs")) {
    INFO(file);
    validation_case test;
    test.body = content(file);
    const auto findings = validate(test.kind, test.body, test.rules, test.names);
    REQUIRE(findings.has_value());
    for (const auto& each : *findings)
      test.findings.push_back({each.path, std::string{each.code}});
    compare_verdicts(test);
  }
}

/// A version whose action `find` has this `verification`.
std::string version_with_url(const std::string& url, const std::string& header = "X-A") {
  return R"({"display_name":"v","config":{"matchmaker":{"game_modes":{"m":{"actions":{"find":)"
         R"({"enabled":true,"verification":{"url":")" +
         url + R"(","headers":{")" + header + R"(":"b"}}}}}}}}})";
}

bool is_valid(const std::string& body) {
  const auto findings = validate(payload_kind::version, body, {}, default_reference_names());
  REQUIRE(findings.has_value());
  return findings->empty();
}

TEST_CASE(
    "the printed schema refuses the URLs, headers and names that one value shows to be wrong") {
  const schema_evaluator schema{json_schema(payload_kind::version, {}, default_reference_names())};
  const auto check = [&](const std::string& body, bool expected) {
    INFO(body);
    CHECK(is_valid(body) == expected);
    CHECK(schema.accepts(body) == expected);
  };
  for (const std::string url :
       {"https://example.com", "HTTP://EXAMPLE.com:443/a?b=%20#c", "https://example.com:/",
        "https://a_b.example.", "http://8.8.8.8:0443", "http://134744072", "http://0x08080808/x",
        "http://010.8.8.8", "http://[2606:4700::1111]:65535", "http://[::ffff:8.8.8.8]/",
        "http://[64:ff9b::808:808]", "http://[::ffff:9.9.9.9]/", "https://localhost.example.com",
        "https://172.15.255.255", "http://172.32.0.0", "http://128.0.0.1",
        "https://[2620:fe::9]:1/", "https://10.example.com", "https://svc.example"})
    check(version_with_url(url), true);
  for (const std::string url : {"https://example.com:0",
                                "https://example.com:65536",
                                "https://example.com:8o",
                                "https://example.com:80:80",
                                "https://-a.example",
                                "https://a-.example",
                                "https://a..b",
                                "https://verify",
                                "https://localhost",
                                "https://a.LOCAL:80",
                                "https://a.localdomain.",
                                "https://nas.lan/",
                                "https://a.home.arpa",
                                "https://a.svc",
                                "https://a.cluster.local",
                                "https://metadata.google.internal",
                                "http://127.0.0.1",
                                "http://10.1",
                                "http://192.168.0.1/",
                                "http://172.31.255.255",
                                "http://169.254.169.254",
                                "http://100.64.0.1",
                                "http://224.0.0.1",
                                "http://255.255.255.255:80",
                                "http://0",
                                "http://[::1]",
                                "http://[::]:80",
                                "http://[fe80::1]",
                                "http://[FD00::1]",
                                "http://a.0x1",
                                "mailto:a",
                                "https:a.b",
                                "https://a.b/%2",
                                "https://a.b/{c}",
                                "https://a@b.c",
                                "https://bücher.example"})
    check(version_with_url(url), false);
  for (const std::string header : {"Hosts", "X-Host", "Content-Length-A", "!#$%&'*+-.^_`|~"})
    check(version_with_url("https://example.com", header), true);
  for (const std::string header :
       {"Host", "hOST", "content-length", "TRANSFER-Encoding", "Connection", "a b", "a:", "é", ""})
    check(version_with_url("https://example.com", header), false);
  for (const std::string name :
       {"a\u200bb", "a\u00a0b", "a\u00adb", "a\u2800", "a\ufeff", "a\u202eb", "a  b", " a",
        "a\u3164", "ថ\u200ba", "\u200bថ", "ថ\u200b", "a\u180eb"})
    check(R"({"config":{},"display_name":")" + name + "\"}", false);
  for (const std::string name : {"a\u0301 👩\u200d🚀", "ថ\u200bថ ថ\u200bថ\u200bថ", "ᠷ\u180eᠠ"})
    check(R"({"config":{},"display_name":")" + name + "\"}", true);
}

/// Checks what ajv's strict mode requires of a schema (https://ajv.js.org/strict-mode.html), as far
/// as printed schemas could violate it. `types` and `known` are the types and the members that
/// enclosing schemas of the same value declare.
void check_strictness(const json& schema, names types, names known) {
  static const std::map<std::string, std::string> typed{{"minimum", "integer"},
                                                        {"maximum", "integer"},
                                                        {"minLength", "string"},
                                                        {"maxLength", "string"},
                                                        {"pattern", "string"},
                                                        {"items", "array"},
                                                        {"maxItems", "array"},
                                                        {"properties", "object"},
                                                        {"required", "object"},
                                                        {"propertyNames", "object"},
                                                        {"additionalProperties", "object"},
                                                        {"minProperties", "object"},
                                                        {"maxProperties", "object"}};
  if (!schema.IsObject()) return;
  if (schema.HasMember("type")) types = types_of(schema);
  // Unions are allowed only with null.
  CHECK((types.size() < 2 || (types.size() == 2 && types.contains("null"))));
  if (schema.HasMember("properties")) known.merge(member_names(schema["properties"]));
  for (const auto& name : texts_at(schema, "required"))
    CHECK(known.contains(name));
  for (const auto& member : schema.GetObject()) {
    const std::string keyword = member.name.GetString();
    INFO(keyword);
    if (const auto found = typed.find(keyword); found != typed.end())
      CHECK(types.contains(found->second));
    if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf")
      for (const auto& each : member.value.GetArray())
        check_strictness(each, types, known);
    if (keyword == "not") check_strictness(member.value, types, {});
    if (keyword == "properties" || keyword == "$defs")
      for (const auto& each : member.value.GetObject())
        check_strictness(each.value, {}, {});
    if (keyword == "items" || keyword == "additionalProperties")
      check_strictness(member.value, {}, {});
    // A member's name is a string.
    if (keyword == "propertyNames") check_strictness(member.value, {"string"}, {});
  }
}

TEST_CASE("the printed schema keeps to what ajv's strict mode asks") {
  validation_rules complete;
  complete.complete = true;
  complete.edition = service_edition::hosted;
  auto known = default_reference_names();
  known.regions = {"atl", "fra"};
  for (const auto& rules : {validation_rules{}, complete, rules_with_aliases()})
    for (const auto kind : kinds) {
      const schema_evaluator schema{json_schema(kind, rules, known)};
      check_strictness(schema.root(), {}, {});
    }
}

// Validation enforces every constraint of the printed schema, at every path and with the same
// numbers: tested with bodies made from the schema alone that just satisfy or just violate each.

using path = std::vector<std::string>;
using verdict = schema_probe::verdict;

std::string text_of_path(const path& steps) {
  std::string text;
  for (const auto& step : steps)
    text += "/" + step;
  return text;
}

bool starts_with(const path& whole, const path& part) {
  return whole.size() >= part.size() && std::equal(part.begin(), part.end(), whole.begin());
}

bool is_as_expected(const schema_probe& probe, const std::vector<finding>& findings) {
  const auto is_here = [&](const finding& each) { return each.path == probe.path; };
  auto around = probe.path;
  if (!around.empty()) around.pop_back();
  switch (probe.expected) {
  case verdict::clean: return findings.empty();
  case verdict::clean_here: return std::ranges::none_of(findings, is_here);
  case verdict::refused_here: return std::ranges::any_of(findings, is_here);
  case verdict::refused_near:
    return std::ranges::any_of(findings,
                               [&](const finding& each) { return starts_with(each.path, around); });
  }
  return false;
}

bool is_refused(const schema_probe& probe) {
  return probe.expected == verdict::refused_here || probe.expected == verdict::refused_near;
}

void run_probes(payload_kind kind, const validation_rules& rules, const reference_names& names) {
  const schema_evaluator schema{json_schema(kind, rules, names)};
  std::map<std::string, std::size_t> counts;
  for (const auto& probe : probes_of(schema)) {
    INFO(probe.what << " at " << text_of_path(probe.path) << ": " << probe.body.substr(0, 2'000));
    ++counts[probe.what];
    const auto findings = validate(kind, probe.body, rules, names);
    REQUIRE(findings.has_value());
    INFO(render_findings(*findings).substr(0, 2'000));
    CHECK(schema.accepts(probe.body) != is_refused(probe));
    CHECK(is_as_expected(probe, *findings));
  }
  if (kind != payload_kind::version) return;
  for (const std::string what :
       {"type", "null", "another type", "length", "pattern", "enum", "minimum", "maximum",
        "maxItems", "maxProperties", "propertyNames", "a name's length", "required",
        "required by a relation", "additionalProperties", "an alias next to its name"})
    CHECK(counts[what] > 0);
}

/// Rules with non-default numbers for every limit that the printed schema states.
validation_rules rules_with_other_limits() {
  validation_rules rules;
  for (const auto& limit : validation_limit_table())
    if (limit.value != &validation_limits::depth && limit.value != &validation_limits::findings &&
        limit.value != &validation_limits::findings_bytes)
      rules.limits.*limit.value += 1;
  return rules;
}

TEST_CASE("validation keeps to every constraint that the printed schema states") {
  for (const auto kind : {payload_kind::version, payload_kind::game, payload_kind::group})
    run_probes(kind, {}, default_reference_names());
}

TEST_CASE("validation and the printed schema change together with the limits") {
  run_probes(payload_kind::version, rules_with_other_limits(), default_reference_names());
}

TEST_CASE("validation and the printed schema change together with the known names") {
  run_probes(payload_kind::version, {}, {{"big", "small"}, {{"atl", "fra"}}});
}

TEST_CASE("validation and the printed schema ignore unknown members together") {
  validation_rules rules;
  rules.unknown_members = unknown_members::ignore;
  run_probes(payload_kind::version, rules, default_reference_names());
}

TEST_CASE("validation and the printed schema accept configured aliases together") {
  validation_rules rules;
  rules.further_aliases = {{"container_runtime", "podman"}, {"gateway", "front"}};
  run_probes(payload_kind::version, rules, default_reference_names());
}

} // namespace
} // namespace matchcloud::model
