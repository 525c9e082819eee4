// Properties of validation over whole versions from a seed: a valid version has no findings, one
// violation gives one finding, and the order of members does not matter.
#include "model/validation/member_names.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"
#include "tests/model/validation/valid_version.hpp"
#include "tests/model/validation/version_mutations.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

namespace matchcloud::model {
namespace {

std::vector<finding> property_findings(const std::string& body) {
  static const auto names = names_of_valid_versions();
  auto findings = validate(payload_kind::version, body, {}, names);
  RC_ASSERT(findings.has_value());
  return *std::move(findings);
}

/// The findings, one line each, regardless of their order.
std::multiset<std::string> lines_of(const std::vector<finding>& findings, bool with_messages) {
  std::multiset<std::string> lines;
  for (const auto& each : findings) {
    auto line = std::string{each.code};
    if (with_messages) {
      line += ": " + each.message;
      for (const auto& step : each.path)
        line += "/" + step;
    }
    lines.insert(std::move(line));
  }
  return lines;
}

/// Whether the code refers to an earlier sibling or depends on what precedes it.
bool depends_on_order(std::string_view code) {
  return code == "not-unique" || code == "duplicate-member" || code == "ranges-overlap" ||
         code == "too-many";
}

bool depend_on_order(const std::vector<finding>& findings) {
  return std::ranges::any_of(findings,
                             [](const auto& each) { return depends_on_order(each.code); });
}

/// Whether a member stands in `body` by its name and by its alias. Messages that name it where it
/// is absent then use the one that comes first.
bool has_two_spellings(std::string_view body) {
  const auto stands = [&](std::string_view name) {
    return body.find('"' + std::string{name} + "\":") != body.npos;
  };
  return std::ranges::any_of(specified_names, [&](std::string_view name) {
    const auto alias = alias_of(name);
    return !alias.empty() && stands(name) && stands(alias);
  });
}

} // namespace

TEST_CASE("property: a valid version has no findings") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    chance random{seed};
    for (int i = 0; i < 5; ++i) {
      const auto body = to_text(valid_version(random));
      const auto findings = property_findings(body);
      if (!findings.empty()) RC_FAIL(body + "\n" + render_findings(findings));
    }
  }));
}

TEST_CASE("property: one violation is one finding, at its place") {
  std::map<std::string_view, std::size_t> spoiled;
  REQUIRE(rc::check([&](std::uint32_t seed) {
    chance random{seed};
    for (const auto& mutation : version_mutations()) {
      auto version = valid_version(random);
      const auto expected = spoil(version, mutation, random);
      if (!expected) continue;
      ++spoiled[mutation.name];
      const auto body = to_text(version);
      const auto findings = property_findings(body);
      if (findings.size() != 1 || findings.front().path != expected->path ||
          findings.front().code != expected->code)
        RC_FAIL(std::string{mutation.name} + " should give " + to_string(*expected) + "\n" + body +
                "\n" + render_findings(findings));
    }
  }));
  for (const auto& mutation : version_mutations()) {
    INFO(mutation.name);
    CHECK(spoiled[mutation.name] > 0);
  }
}

TEST_CASE("property: the order of members changes no finding") {
  std::size_t compared_whole = 0;
  std::size_t compared_by_code = 0;
  REQUIRE(rc::check([&](std::uint32_t seed) {
    chance random{seed};
    const auto mutations = version_mutations();
    for (int i = 0; i < 5; ++i) {
      auto version = valid_version(random);
      for (int violations = 0; violations < 4; ++violations)
        spoil(version, mutations[random.below(mutations.size())], random);
      const auto body = to_text(version);
      const auto before = property_findings(body);
      shuffle_members(version, random);
      const auto shuffled = to_text(version);
      const auto after = property_findings(shuffled);
      // Checks both orders: a repeated member that also has its own violation shows that one only
      // where it comes later.
      if (depend_on_order(before) || depend_on_order(after)) continue;
      const bool is_spelled_alike = !has_two_spellings(body);
      ++(is_spelled_alike ? compared_whole : compared_by_code);
      if (lines_of(after, is_spelled_alike) != lines_of(before, is_spelled_alike))
        RC_FAIL(body + "\n" + shuffled);
    }
  }));
  CHECK(compared_whole > compared_by_code);
}

TEST_CASE("property: nor their number and codes, where one names an earlier sibling") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    chance random{seed};
    for (const auto& mutation : version_mutations()) {
      auto version = valid_version(random);
      const auto expected = spoil(version, mutation, random);
      if (!expected || !depends_on_order(expected->code)) continue;
      shuffle_members(version, random);
      const auto lines = lines_of(property_findings(to_text(version)), false);
      if (lines != std::multiset<std::string>{expected->code})
        RC_FAIL(std::string{mutation.name} + "\n" + to_text(version));
    }
  }));
}

} // namespace matchcloud::model
