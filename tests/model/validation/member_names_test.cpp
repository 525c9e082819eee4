#include "model/validation/member_names.hpp"

#include "model/validation/schema.hpp"

#include "tests/catch.hpp"

#include <set>
#include <string>

namespace matchcloud::model {
namespace {

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
