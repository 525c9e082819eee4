#include "app/config/fault_file.hpp"

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

TEST_CASE("what is wrong in a file of faults is told with its line, and nothing is taken") {
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

} // namespace
} // namespace matchcloud::app
