// Keeps the printed schema and the table consistent: the schema has exactly the table's members and
// gives the same verdict wherever JSON Schema can express the rule. How validation judges the
// schema's constraints is tested in schema_probes_test.cpp.
#include "model/validation/json_schema.hpp"
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"
#include "tests/model/validation/schema_evaluator.hpp"
#include "tests/model/validation/validation_cases.hpp"

#include <rapidjson/schema.h>

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

names expected_types(value_type type, bool nullable) {
  names types;
  if (nullable) types.insert("null");
  switch (type) {
  case value_type::string: types.insert("string"); break;
  case value_type::integer: types.insert("integer"); break;
  case value_type::boolean: types.insert("boolean"); break;
  case value_type::object:
  case value_type::map: types.insert("object"); break;
  case value_type::array: types.insert("array"); break;
  }
  return types;
}

/// Compares the table and a schema side by side.
class comparison {
public:
  comparison(std::string_view schema, const validation_rules& rules)
      : evaluator_(schema), rules_(rules) {}

  void run(payload_kind kind) {
    compare(body_rule(kind), evaluator_.root(), false);
    const auto& root = evaluator_.root();
    CHECK(referred_ == (root.HasMember("$defs") ? member_names(root["$defs"]) : names{}));
  }

  std::size_t members() const noexcept { return members_; }

private:
  void compare(const value_rule& rule, const json& place, bool nullable) {
    note_reference(place);
    const auto& schema = evaluator_.resolved(place);
    REQUIRE(schema.HasMember("type"));
    CHECK(types_of(schema) == expected_types(rule.type, nullable));
    CHECK(schema.HasMember("items") == (rule.type == value_type::array));
    CHECK(schema.HasMember("properties") == (rule.shape != nullptr));
    if (rule.type == value_type::array) compare(*rule.element, schema["items"], false);
    if (rule.type == value_type::map) compare(*rule.element, schema["additionalProperties"], false);
    if (rule.shape) compare_members(*rule.shape, schema);
  }

  void compare_members(const object_shape& shape, const json& schema) {
    names known;
    names required;
    for (const auto& member : shape.members) {
      auto spellings = spellings_of(member);
      if (member.required) required.insert(std::string{member.name});
      for (const auto& spelling : spellings)
        compare_member(member, spelling, schema["properties"]);
      known.merge(spellings);
    }
    CHECK(member_names(schema["properties"]) == known);
    CHECK(texts_at(schema, "required") == required);
    const bool is_closed = !shape.open && rules_.unknown_members == unknown_members::reject;
    REQUIRE(schema.HasMember("additionalProperties") == is_closed);
    if (is_closed) CHECK(schema["additionalProperties"].IsFalse());
  }

  void compare_member(const member_rule& member, const std::string& spelling,
                      const json& properties) {
    INFO(spelling);
    ++members_;
    REQUIRE(properties.HasMember(spelling.c_str()));
    const auto& place = properties[spelling.c_str()];
    const auto remark = text_in(place, "description");
    CHECK((remark.find("CLI-only") != std::string::npos) == member.cli_only);
    CHECK((remark.find("The same as `") != std::string::npos) == (spelling != member.name));
    compare(*member.value, place, !member.required);
  }

  names spellings_of(const member_rule& member) const {
    names all{std::string{member.name}};
    if (!member.alias.empty()) all.insert(std::string{member.alias});
    for (const auto& each : rules_.further_aliases)
      if (each.neutral == member.name) all.insert(each.alias);
    return all;
  }

  void note_reference(const json& place) {
    const auto reference = text_in(place, "$ref");
    if (!reference.empty()) referred_.insert(reference.substr(std::string{"#/$defs/"}.size()));
  }

  schema_evaluator evaluator_;
  const validation_rules& rules_;
  names referred_;
  std::size_t members_ = 0;
};

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

/// Whether draft 4, too, can express the finding: it has no names of entries, and no word list that
/// may be empty.
bool is_expressible_in_draft_4(const expected_finding& finding) {
  static const names codes{"required", "wrong-type",    "unknown-member", "too-low",
                           "too-high", "unknown-value", "conflicting",    "unsupported-port"};
  return codes.contains(finding.code);
}

/// Removes patterns with a group that begins with `(?`, which RapidJSON does not support.
void drop_other_patterns(json& schema) {
  if (schema.IsArray())
    for (auto& each : schema.GetArray())
      drop_other_patterns(each);
  if (!schema.IsObject()) return;
  if (const auto pattern = schema.FindMember("pattern");
      pattern != schema.MemberEnd() && pattern->value.IsString() &&
      std::string_view{pattern->value.GetString()}.find("(?") != std::string_view::npos)
    schema.RemoveMember(pattern);
  for (auto& each : schema.GetObject())
    drop_other_patterns(each.value);
}

/// Converts a schema to draft 4 for RapidJSON, which also resolves no reference with a `$`.
rapidjson::Document as_draft_4(std::string schema) {
  for (std::size_t at = 0; (at = schema.find("$defs", at)) != schema.npos;)
    schema.replace(at, 5, "definitions");
  auto document = parse_instance(schema);
  drop_other_patterns(document);
  return document;
}

bool is_accepted_by_rapidjson(const rapidjson::SchemaDocument& schema, const std::string& body) {
  rapidjson::SchemaValidator validator{schema};
  return parse_instance(body).Accept(validator);
}

/// Compares the printed schema's verdict on a case with the findings that `validate` reports for
/// it.
void compare_verdicts(const validation_case& test) {
  const auto printed = json_schema(test.kind, test.rules, test.names);
  const schema_evaluator evaluator{printed};
  const rapidjson::SchemaDocument compiled{as_draft_4(printed)};
  const bool is_refused = std::ranges::any_of(
      test.findings, [&](const auto& each) { return is_expressible(each, test.body); });
  if (test.findings.empty()) {
    CHECK(evaluator.accepts(test.body));
    CHECK(is_accepted_by_rapidjson(compiled, test.body));
  }
  if (is_refused) CHECK_FALSE(evaluator.accepts(test.body));
  if (std::ranges::any_of(test.findings, is_expressible_in_draft_4))
    CHECK_FALSE(is_accepted_by_rapidjson(compiled, test.body));
}

validation_rules rules_with_aliases() {
  validation_rules rules;
  rules.further_aliases = {{"container_runtime", "podman"},
                           {"gateway", "front"},
                           {"engine_a", "alpha"},
                           {"engine_a", "first"}};
  return rules;
}

TEST_CASE("the printed schema has every member of the table at its place, and nothing else") {
  validation_rules ignoring;
  ignoring.unknown_members = unknown_members::ignore;
  for (const auto& rules : {validation_rules{}, ignoring, rules_with_aliases()})
    for (const auto kind : kinds) {
      comparison both{json_schema(kind, rules, default_reference_names()), rules};
      both.run(kind);
      CHECK(both.members() > (kind == payload_kind::version ? 150 : 0));
    }
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
        "http://[64:ff9b::808:808]", "https://localhost.example.com", "https://172.15.0.1",
        "https://10.example.com", "https://svc.example"})
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

TEST_CASE("the printed schema says what it leaves to validation") {
  for (const auto kind : kinds) {
    const schema_evaluator schema{json_schema(kind, {}, default_reference_names())};
    CHECK(text_in(schema.root(), "$comment")
              .starts_with("Validation also finds mistakes that JSON Schema"));
  }
}

TEST_CASE("known regions are the only names of entries that the printed schema accepts") {
  auto known = default_reference_names();
  known.regions = {"atl", "fra"};
  const schema_evaluator schema{json_schema(payload_kind::version, {}, known)};
  const auto body = [](const std::string& region) {
    return R"({"display_name":"v","config":{"matchmaker":{"regions":{")" + region + R"(":{}}}}})";
  };
  CHECK(schema.accepts(body("fra")));
  CHECK_FALSE(schema.accepts(body("lax")));
}

TEST_CASE("configured aliases are accepted, but not together with what they stand for") {
  const schema_evaluator schema{
      json_schema(payload_kind::version, rules_with_aliases(), default_reference_names())};
  const auto body = [](const std::string& matchmaker) {
    return R"({"display_name":"v","config":{"matchmaker":{)" + matchmaker + "}}}";
  };
  CHECK(schema.accepts(body(R"("podman":{"ports":{"a":{"port":1,"proxy":"front"}}})")));
  for (const std::string both :
       {R"("podman":{},"docker":{})", R"("podman":{},"container_runtime":{})",
        R"("docker":null,"container_runtime":{})"})
    CHECK_FALSE(schema.accepts(body(both)));
}

TEST_CASE("the schema of the hosted edition does not know the host's network") {
  validation_rules rules;
  const std::string body =
      R"({"display_name":"v","config":{"matchmaker":{"docker":{"network_mode":"host"}}}})";
  const auto accepts = [&] {
    return schema_evaluator{json_schema(payload_kind::version, rules, default_reference_names())}
        .accepts(body);
  };
  CHECK(accepts());
  rules.edition = service_edition::hosted;
  CHECK_FALSE(accepts());
}

} // namespace
} // namespace matchcloud::model
