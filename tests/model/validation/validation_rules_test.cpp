#include "model/validation/member_names.hpp"

#include "model/text/violation.hpp"
#include "model/validation/rule_keys.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/validation_rules.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace matchcloud::model {
namespace {

using fixtures::contains;

std::string why_not(const validation_rules& rules) {
  const auto checked = check_rules(rules);
  return checked ? "accepted" : checked.error().detail;
}

std::string why_not(std::vector<configured_alias> aliases) {
  validation_rules rules;
  rules.further_aliases = std::move(aliases);
  return why_not(rules);
}

TEST_CASE("limits may be as low and as high as the table says, if lowest stays below highest") {
  validation_rules least;
  validation_rules most;
  for (const auto& each : validation_limit_table()) {
    INFO(each.name);
    CHECK(each.lowest <= validation_limits{}.*each.value);
    CHECK(validation_limits{}.*each.value <= each.highest);
    least.limits.*each.value = each.lowest;
    most.limits.*each.value = each.highest;
  }
  CHECK(why_not(least) == "accepted");
  CHECK(why_not(most) == "accepted");
  least.limits.max_players_lowest = 1;
  CHECK(contains(why_not(least), "max-players-lowest is greater than max-players-highest"));
  most.limits.host_port_highest = most.limits.host_port_lowest - 1;
  CHECK(contains(why_not(most), "host-port-lowest is greater than host-port-highest"));
}

TEST_CASE("an alias is a new word for a neutral one") {
  CHECK(why_not({{"container_runtime", "podman"},
                 {"container_runtime", "oci"},
                 {"engine_a", "u7"},
                 {"gateway", "edge"}}) == "accepted");
  // A member's name is not a value of `proxy`, and a value of `proxy` is not a member's name.
  CHECK(why_not({{"gateway", "tier"}, {"container_runtime", "none"}}) == "accepted");
  CHECK(contains(why_not({{"tier", "class"}}), "NEUTRAL=ALIAS"));
  CHECK(contains(why_not({{"container_runtime", ""}}), "NEUTRAL=ALIAS"));
  CHECK(contains(why_not({{"", "a"}}), "NEUTRAL=ALIAS"));
}

TEST_CASE("an alias cannot be a word that has a meaning, nor stand for two words") {
  for (const auto* word : {"tier", "docker", "container_runtime", "unity", "config", "min", "name",
                           "site_key", "dev_protocol", "game_module"})
    CHECK(contains(why_not({{"container_runtime", word}}), "already has a meaning"));
  for (const auto* word : {"none", "gateway", "game_guard"})
    CHECK(contains(why_not({{"gateway", word}}), "already has a meaning"));
  CHECK(contains(why_not({{"captcha_provider_a", "x"}, {"captcha_provider_b", "x"}}),
                 "\"x\" cannot stand for both captcha_provider_a and captcha_provider_b"));
}

TEST_CASE("every alias names one member of the specification, and has no alias itself") {
  for (const auto& key : key_aliases()) {
    CHECK(alias_of(key.neutral) == key.alias);
    CHECK(alias_of(key.alias).empty());
  }
}

/// The names of all members in `rule` and below it, into `all`.
void collect(const value_rule& rule, std::set<std::string, std::less<>>& all) {
  if (rule.element != nullptr) collect(*rule.element, all);
  if (rule.shape == nullptr) return;
  for (const auto& member : rule.shape->members) {
    all.emplace(member.name);
    collect(*member.value, all);
  }
}

TEST_CASE("the list of names has those of the specification's members, in order") {
  std::set<std::string, std::less<>> all;
  for (const auto kind : {payload_kind::version, payload_kind::game, payload_kind::group})
    collect(body_rule(kind), all);
  CHECK(std::ranges::equal(specified_names, all));
}

TEST_CASE("a member is found by its name and by each alias, and by no other") {
  validation_rules rules;
  rules.further_aliases = {{"container_runtime", "podman"}, {"gateway", "front"}};
  const auto& version = *body_rule(payload_kind::version).shape;
  const auto& config = *find_member(version, "config", rules)->value->shape;
  const auto& matchmaker = *find_member(config, "matchmaker", rules)->value->shape;
  const auto* runtime = find_member(matchmaker, "container_runtime", rules);
  REQUIRE(runtime != nullptr);
  CHECK(runtime->name == "container_runtime");
  CHECK(find_member(matchmaker, "docker", rules) == runtime);
  CHECK(find_member(matchmaker, "podman", rules) == runtime);
  CHECK(find_member(matchmaker, "podman", {}) == nullptr);
  for (const auto* name : {"", "front", "gateway", "docke", "dockers", "cdn", "container_runtim"}) {
    INFO(name);
    CHECK(find_member(matchmaker, name, rules) == nullptr);
  }
}

TEST_CASE("a member's name is known when the program is compiled") {
  STATIC_REQUIRE(member_name{"port"}.symbol == symbol_of_member("port"));
  STATIC_REQUIRE(symbol_of_member("docker") == no_symbol);
  CHECK(is_member_name("docker"));
  CHECK(is_member_name("taggable"));
  CHECK_FALSE(is_member_name(""));
  CHECK_FALSE(is_member_name("gateway"));
}

} // namespace
} // namespace matchcloud::model

namespace {

using namespace matchcloud;

TEST_CASE("docs/validation.md lists each code of findings once, in the order of the table") {
  const auto page = fixtures::read_whole(fixtures::source_path("docs/validation.md"));
  const auto begin = page.find("## All codes");
  REQUIRE(begin != std::string::npos);
  std::string listed;
  for (auto at = page.find("\n| `", begin); at != std::string::npos;
       at = page.find("\n| `", at + 1)) {
    // The codes stand in the first column.
    const auto cell = page.substr(at + 2, page.find(" | ", at + 2) - at - 2);
    for (auto tick = cell.find('`'); tick != std::string::npos;) {
      const auto end = cell.find('`', tick + 1);
      listed.append(cell, tick + 1, end - tick - 1).append(" ");
      tick = cell.find('`', end + 1);
    }
  }
  std::string known;
  for (const auto code : model::finding_codes)
    known.append(code).append(" ");
  CHECK(listed == known);
}

TEST_CASE("each code of findings is written in kebab case, once") {
  std::set<std::string_view> seen;
  for (const auto code : model::finding_codes) {
    INFO(code);
    CHECK(seen.insert(code).second);
    CHECK(std::ranges::all_of(code, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; }));
  }
}

} // namespace
