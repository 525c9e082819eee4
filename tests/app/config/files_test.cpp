// Files besides a service's own: of fault rules, and of the rules of validation.
#include "app/config/fault_file.hpp"

#include "app/config/rules_file.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

namespace matchcloud::app {
namespace {

using base::fault_kind;
using base::fault_point;

TEST_CASE("a file of faults has a table for each point, written in any of TOML's ways") {
  const fixtures::temporary_directory folder;
  const auto file = folder.file("faults.toml", R"(# what breaks
accept = { kind = "stall" }
avatar.receive = { kind = "crash", probability = 0.01 }
"front.reply" = { kind = "drop", once = true }

[store.commit]
kind = "delay"
delay_ms = [5, 20.5]
)");
  const auto rules = read_fault_rules(file);
  REQUIRE(rules);
  REQUIRE(rules->size() == 4);
  for (const auto& [at, rule] : *rules) {
    switch (at) {
    case fault_point::accept: CHECK(rule.kind == fault_kind::stall); break;
    case fault_point::avatar_receive: CHECK(rule.probability == 0.01); break;
    case fault_point::front_reply: CHECK(rule.once); break;
    case fault_point::store_commit:
      CHECK(rule.most_delay == std::chrono::microseconds{20'500});
      break;
    default: FAIL("another point");
    }
  }
}

TEST_CASE("text with an equals sign is no file's name") {
  const auto rules = read_fault_rules(R"(media.reply = { kind = "error", every = 3 })");
  REQUIRE(rules);
  REQUIRE(rules->size() == 1);
  CHECK(rules->front().first == fault_point::media_reply);
  CHECK(rules->front().second.every == 3);
}

TEST_CASE("an error in a file of faults names its line, and no rule is taken") {
  const fixtures::temporary_directory folder;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\navatar.recieve = { kind = \"crash\" }",
       ":2: `avatar.recieve` is not a fault point. Did "},
      {"avatar = { kind = \"crash\" }", ":1: `avatar.kind` is not a fault point"},
      {"accept = 3", ":1: accept: a rule must be an object"},
      {"\n\naccept = { kind = \"crash\" }", ":3: accept has no fault crash"},
      {"accept = { kind = \"error\", evry = 2 }", "Did you mean `every`?"},
      {"accept = {", ":1: "},
      {"[avatar.receive.deep]\nkind = \"crash\"", "A rule has no member `deep`"}};
  for (const auto& [text, says] : cases) {
    CAPTURE(text);
    const auto file = folder.file("faults.toml", text);
    const auto refused = read_fault_rules(file);
    REQUIRE_FALSE(refused);
    CAPTURE(refused.error().detail);
    CHECK(refused.error().detail.starts_with(file + ":"));
    CHECK(refused.error().detail.find(says) != std::string::npos);
  }
  const auto missing = read_fault_rules(folder.path("nowhere.toml"));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().detail.find("nowhere.toml: ") != std::string::npos);
}

base::expected<payload_rules> rules_of(const std::string& text) {
  const fixtures::temporary_directory folder;
  return read_rules_file(folder.file("rules.toml", text));
}

using names = std::vector<std::string>;

TEST_CASE("a service's own file gives its rules, and the names of its catalog are not known") {
  const auto rules = rules_of("listen = \"127.0.0.1:0\"\nbody-limit-bytes = 2048\n"
                              "[limits]\ngame-modes = 3\n[rules]\nedition = \"hosted\"\n");
  REQUIRE(rules);
  CHECK(rules->body_limit_bytes == 2048);
  CHECK(rules->rules.limits.game_modes == 3);
  CHECK(rules->rules.edition == model::service_edition::hosted);
  CHECK(rules->names.tiers == model::default_reference_names().tiers);
  CHECK(!rules->names.regions);
}

TEST_CASE("a rules file may give the names that a catalog would, in any order") {
  const auto rules = rules_of("[rules]\ntiers = [\"b\", \"a\", \"b\"]\nregions = []\n");
  REQUIRE(rules);
  CHECK(rules->names.tiers == names{"a", "b"});
  CHECK(rules->names.regions == names{});
  CHECK(rules_of("[rules]\nregions = [\"syd\", \"lon\"]\n")->names.regions == names{"lon", "syd"});
}

TEST_CASE("every key of a rules file is checked, those that do not count too") {
  for (const std::string text : {"loops = 999\n", "no-such-key = 1\n", "[limits]\nports = -1\n",
                                 "[rules]\ntiers = [\"Not An Id\"]\n", "[rules]\ntiers = [1]\n",
                                 "[rules]\nregions = \"lon\"\n", "regions = [\"lon\"]\n",
                                 "[limits]\nmax-players-lowest = 300\n", "[rules\n"}) {
    CAPTURE(text);
    const auto rules = rules_of(text);
    REQUIRE(!rules.has_value());
    CHECK(rules.error().code == base::errc::config_invalid);
    CHECK(rules.error().detail.find("rules.toml:") != std::string::npos);
  }
  CHECK(!read_rules_file("/nonexistent/rules.toml").has_value());
}

TEST_CASE("without a file the rules are those of a service that is told nothing") {
  const auto told_nothing = rules_of("").value();
  CHECK(default_payload_rules().body_limit_bytes == told_nothing.body_limit_bytes);
  CHECK(default_payload_rules().names.tiers == told_nothing.names.tiers);
  CHECK(default_payload_rules().rules.edition == told_nothing.rules.edition);
}

} // namespace
} // namespace matchcloud::app
