// Validation enforces every constraint of the printed schema, at every path and with the same
// numbers: tested with bodies made from the schema alone that just satisfy or just violate each
// one.
#include "model/validation/json_schema.hpp"
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"
#include "tests/model/validation/schema_probes.hpp"

#include <algorithm>
#include <map>

namespace matchcloud::model {
namespace {

using path = std::vector<std::string>;
using verdict = schema_probe::verdict;

std::string text_of(const path& steps) {
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

void run(payload_kind kind, const validation_rules& rules, const reference_names& names) {
  const schema_evaluator schema{json_schema(kind, rules, names)};
  std::map<std::string, std::size_t> counts;
  for (const auto& probe : probes_of(schema)) {
    INFO(probe.what << " at " << text_of(probe.path) << ": " << probe.body.substr(0, 2'000));
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
    run(kind, {}, default_reference_names());
}

TEST_CASE("validation and the printed schema change together with the limits") {
  run(payload_kind::version, rules_with_other_limits(), default_reference_names());
}

TEST_CASE("validation and the printed schema change together with the known names") {
  run(payload_kind::version, {}, {{"big", "small"}, {{"atl", "fra"}}});
}

TEST_CASE("validation and the printed schema ignore unknown members together") {
  validation_rules rules;
  rules.unknown_members = unknown_members::ignore;
  run(payload_kind::version, rules, default_reference_names());
}

TEST_CASE("validation and the printed schema accept configured aliases together") {
  validation_rules rules;
  rules.further_aliases = {{"container_runtime", "podman"}, {"gateway", "front"}};
  run(payload_kind::version, rules, default_reference_names());
}

} // namespace
} // namespace matchcloud::model
