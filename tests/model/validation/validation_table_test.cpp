// Runs the cases of tests/model/validation/*.json; see validation_cases.hpp.
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"
#include "tests/model/validation/validation_cases.hpp"

#include <algorithm>
#include <sstream>

using namespace matchcloud;

namespace {

std::string lines_of(const std::vector<model::expected_finding>& findings) {
  std::string lines;
  for (const auto& each : findings)
    lines += to_string(each) + "\n";
  return lines;
}

std::string lines_of(const std::vector<model::finding>& findings) {
  std::string lines;
  for (const auto& each : findings)
    lines += to_string(model::expected_finding{each.path, std::string{each.code}, {}}) + "\n";
  return lines;
}

void run(const model::validation_case& test) {
  const auto findings = model::validate(test.kind, test.body, test.rules, test.names);
  if (!test.error.empty()) {
    REQUIRE_FALSE(findings.has_value());
    CHECK(base::describe(findings.error().code).code == test.error);
    CHECK(findings.error().detail.find(test.detail) != std::string::npos);
    return;
  }
  REQUIRE(findings.has_value());
  CHECK(lines_of(*findings) == lines_of(test.findings));
  for (std::size_t i = 0; i < std::min(findings->size(), test.findings.size()); ++i) {
    INFO((*findings)[i].message << "\nshould say: " << test.findings[i].says);
    CHECK((*findings)[i].message.find(test.findings[i].says) != std::string::npos);
  }
}

} // namespace

TEST_CASE("validation gives the findings that the tables list") {
  const auto cases = model::validation_cases();
  REQUIRE_FALSE(cases.empty());
  for (const auto& test : cases) {
    INFO(test.about);
    run(test);
  }
}

TEST_CASE("real configurations give the findings that were reviewed") {
  auto names = model::default_reference_names();
  names.regions = {"atl", "fra", "lax", "sin", "syd", "tor"};
  const auto configs = model::json_files("real-configs");
  REQUIRE(configs.size() == 12);
  // A line per file.
  std::istringstream golden{
      model::content(configs.front().parent_path().parent_path() / "validation" / "golden.jsonl")};
  for (const auto& file : configs) {
    INFO(file);
    const auto findings =
        model::validate(model::payload_kind::version, model::content(file), {}, names);
    REQUIRE(findings.has_value());
    std::string reviewed;
    REQUIRE(std::getline(golden, reviewed));
    CHECK(model::render_findings(*findings) == reviewed);
  }
}
