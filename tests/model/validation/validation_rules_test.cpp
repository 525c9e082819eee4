#include "model/validation/rule_keys.hpp"
#include "model/validation/validation_rules.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"

using namespace matchcloud::model;

namespace {

using matchcloud::fixtures::contains;

std::string why_not(const validation_rules& rules) {
  const auto checked = check_rules(rules);
  return checked ? "accepted" : checked.error().detail;
}

std::string why_not(std::vector<configured_alias> aliases) {
  validation_rules rules;
  rules.further_aliases = std::move(aliases);
  return why_not(rules);
}

} // namespace

TEST_CASE("limits at either end of what they may be are rules, if they leave something") {
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

TEST_CASE("an alias takes no word that has a meaning, and stands for one word only") {
  for (const auto* word : {"tier", "docker", "container_runtime", "unity", "config", "min", "name",
                           "site_key", "dev_protocol", "game_module"})
    CHECK(contains(why_not({{"container_runtime", word}}), "already has a meaning"));
  for (const auto* word : {"none", "gateway", "game_guard"})
    CHECK(contains(why_not({{"gateway", word}}), "already has a meaning"));
  CHECK(contains(why_not({{"captcha_provider_a", "x"}, {"captcha_provider_b", "x"}}),
                 "\"x\" cannot stand for both captcha_provider_a and captcha_provider_b"));
}
