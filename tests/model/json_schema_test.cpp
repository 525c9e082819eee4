// Holds the printed schema and the table together: the one has every member of the other and
// nothing else, and decides alike where JSON Schema can decide. What validation says to the
// constraints of the schema is in schema_probes_test.cpp.
#include "model/json_schema.hpp"

#include "tests/catch.hpp"
#include "tests/model/schema_evaluator.hpp"
#include "tests/model/validation_cases.hpp"

#include <rapidjson/schema.h>

#include <algorithm>
#include <set>

namespace matchcloud::model {
namespace {

using json = rapidjson::Value;
using names = std::set<std::string>;

constexpr std::array kinds{payload_kind::version, payload_kind::game, payload_kind::group};

std::string text_at(const json& object, const char* name) {
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

/// Goes through the table and a schema side by side.
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
    const auto remark = text_at(place, "description");
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
    const auto reference = text_at(place, "$ref");
    if (!reference.empty()) referred_.insert(reference.substr(std::string{"#/$defs/"}.size()));
  }

  schema_evaluator evaluator_;
  const validation_rules& rules_;
  names referred_;
  std::size_t members_ = 0;
};

/// Findings that one of the printed keywords can show.
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
  const bool is_ascii = std::ranges::all_of(body, [](char c) { return c > 0; });
  // Bytes are no fewer than characters, but for ASCII they may be more.
  if (finding.code == "too-long") return is_ascii;
  // Counts the matchmaker's too.
  if (finding.code == "too-many" && finding.path.back() == "env") return false;
  return codes.contains(finding.code);
}

/// And that draft 4 can: no names of entries, no list of words that may be empty.
bool is_expressible_in_draft_4(const expected_finding& finding) {
  static const names codes{"required", "wrong-type",    "unknown-member", "too-low",
                           "too-high", "unknown-value", "conflicting",    "unsupported-port"};
  return codes.contains(finding.code);
}

/// RapidJSON speaks draft 4 and follows no reference with a `$`.
std::string as_draft_4(std::string schema) {
  for (std::size_t at = 0; (at = schema.find("$defs", at)) != schema.npos;)
    schema.replace(at, 5, "definitions");
  return schema;
}

bool is_accepted_by_rapidjson(const rapidjson::SchemaDocument& schema, const std::string& body) {
  rapidjson::SchemaValidator validator{schema};
  return parse_instance(body).Accept(validator);
}

/// What `validate` found, or would have.
void compare_verdicts(const validation_case& test) {
  const auto printed = json_schema(test.kind, test.rules, test.names);
  const schema_evaluator evaluator{printed};
  const rapidjson::SchemaDocument compiled{parse_instance(as_draft_4(printed))};
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
    CHECK(text_at(schema.root(), "$schema") == "https://json-schema.org/draft/2020-12/schema");
    CHECK(text_at(schema.root(), "$id").starts_with("urn:matchcloud:schema:"));
    CHECK_FALSE(text_at(schema.root(), "title").empty());
    ids.insert(text_at(schema.root(), "$id"));
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

TEST_CASE("aliases that were configured are accepted, but not beside what they stand for") {
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
