#include "app/config/rules_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

namespace matchcloud::app {
namespace {

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
