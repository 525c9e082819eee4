// The cost of validation, compared with the least that reading JSON can cost and with RapidJSON's
// validator on the printed schema, which stops at its first error. The names are
// validation/MEASURE/BODY; bench/validate/measure.py compares them.
//
//   floor, floor_in_situ   Document::Parse with the flags that validation parses with
//   schema_validator       Reader through GenericSchemaValidator
//   validate               model::validate
//   validate_and_render    model::validate and model::render_findings (the response's body)
//   validate_all           model::validate without a limit of findings
#include "bench/validation_bodies.hpp"
#include "model/validation/json_schema.hpp"
#include "model/validation/validation.hpp"

#include <benchmark/benchmark.h>
#include <rapidjson/document.h>
#include <rapidjson/schema.h>

#include <limits>
#include <string>

namespace {

using namespace matchcloud;

constexpr unsigned floor_flags =
    rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;

void count_bytes(benchmark::State& state, const std::string& body) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
  state.counters["size"] = static_cast<double>(body.size());
}

void parse_floor(benchmark::State& state, const std::string& body) {
  for (auto _ : state) {
    rapidjson::Document document;
    document.Parse<floor_flags>(body.data(), body.size());
    benchmark::DoNotOptimize(document.HasParseError());
  }
  count_bytes(state, body);
}

void parse_floor_in_situ(benchmark::State& state, const std::string& body) {
  for (auto _ : state) {
    std::string copy{body};
    rapidjson::Document document;
    document.ParseInsitu<floor_flags>(copy.data());
    benchmark::DoNotOptimize(document.HasParseError());
  }
  count_bytes(state, body);
}

/// The JSON Schema with draft 4's word `definitions`, because RapidJSON does not follow references
/// that contain a `$`.
std::string printed_schema() {
  auto schema =
      model::json_schema(model::payload_kind::version, {}, model::default_reference_names());
  const std::string_view word = "$defs";
  for (std::size_t at = 0; (at = schema.find(word, at)) != schema.npos;)
    schema.replace(at, word.size(), "definitions");
  return schema;
}

/// Removes all patterns, because RapidJSON supports neither lookaheads nor Unicode classes and
/// crashes at the first one. This spares RapidJSON the cost of patterns.
void remove_patterns(rapidjson::Value& schema) {
  if (schema.IsArray())
    for (auto& each : schema.GetArray())
      remove_patterns(each);
  if (!schema.IsObject()) return;
  for (const auto* name : {"pattern", "patternProperties"})
    if (const auto found = schema.FindMember(name);
        found != schema.MemberEnd() && !found->value.IsBool())
      schema.RemoveMember(found);
  for (auto& each : schema.GetObject())
    remove_patterns(each.value);
}

void run_schema_validator(benchmark::State& state, const std::string& body) {
  rapidjson::Document schema;
  schema.Parse(printed_schema().c_str());
  remove_patterns(schema);
  const rapidjson::SchemaDocument compiled{schema};
  rapidjson::SchemaValidator validator{compiled};
  bool is_valid = false;
  for (auto _ : state) {
    rapidjson::Reader reader;
    rapidjson::MemoryStream stream{body.data(), body.size()};
    benchmark::DoNotOptimize(reader.Parse<rapidjson::kParseIterativeFlag>(stream, validator));
    is_valid = validator.IsValid();
    validator.Reset();
  }
  state.counters["findings"] = is_valid ? 0 : 1;
  count_bytes(state, body);
}

model::validation_rules rules_for_all_findings() {
  model::validation_rules rules;
  rules.limits.findings = std::numeric_limits<std::uint32_t>::max();
  rules.limits.findings_bytes = std::numeric_limits<std::uint32_t>::max();
  return rules;
}

void validate(benchmark::State& state, const std::string& body,
              const model::validation_rules& rules) {
  const auto names = model::default_reference_names();
  std::size_t findings = 0;
  for (auto _ : state) {
    const auto found = model::validate(model::payload_kind::version, body, rules, names);
    benchmark::DoNotOptimize(findings = found->size());
  }
  state.counters["findings"] = static_cast<double>(findings);
  count_bytes(state, body);
}

void validate_and_render(benchmark::State& state, const std::string& body) {
  const model::validation_rules rules;
  const auto names = model::default_reference_names();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        model::render_findings(*model::validate(model::payload_kind::version, body, rules, names)));
  count_bytes(state, body);
}

template <class Measure, class... Arguments>
void add(const std::string& measure, const bench::named_body& body, Measure run,
         const Arguments&... arguments) {
  benchmark::RegisterBenchmark(
      ("validation/" + measure + "/" + body.name).c_str(),
      [=](benchmark::State& state) { run(state, body.text, arguments...); });
}

void add_floor_and_validate(const bench::named_body& body) {
  add("floor", body, parse_floor);
  add("validate", body, validate, model::validation_rules{});
}

void add_all(const bench::named_body& body) {
  add_floor_and_validate(body);
  add("floor_in_situ", body, parse_floor_in_situ);
  add("schema_validator", body, run_schema_validator);
  add("validate_and_render", body, validate_and_render);
}

bool add_benchmarks() {
  const auto configs = bench::real_configs();
  for (const auto& each : configs)
    add_floor_and_validate(each);
  // The real configs without a finding whose sizes are nearest to those in the names.
  add_all({"0.3kB", bench::minified(configs.at(6).text)});
  add_all({"1kB", configs.at(5).text});
  add_all({"8kB", bench::composed_config()});
  struct size {
    const char* name;
    std::size_t game_modes;
  };
  for (const auto& each : {size{"64KiB", 2}, size{"256KiB", 8}, size{"1MiB", 32}}) {
    const std::string name = each.name;
    add_all({"clean-" + name, bench::large_config(each.game_modes, bench::content::clean)});
    const bench::named_body faulty{"faulty-" + name,
                                   bench::large_config(each.game_modes, bench::content::faulty)};
    add_all(faulty);
    add("validate_all", faulty, validate, rules_for_all_findings());
  }
  return true;
}

const bool are_added = add_benchmarks();

} // namespace
