// Properties of validation: of the fuzz target's law, and of the order of members.
#include "tests/fixtures/validation_law.hpp"

#include "tests/catch.hpp"
#include "tests/model/validation/validation_cases.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <random>

namespace matchcloud::model {
namespace {

/// Generates random configs with specified and other names and values of any type. From a seed,
/// because rapidcheck shrinks a tree of generators too slowly.
class config_writer_of_chance {
public:
  explicit config_writer_of_chance(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string object(int levels) { return joined(members(levels)); }

  std::vector<std::string> members(int levels) {
    std::vector<std::string> all;
    for (auto count = below(7); count > 0; --count) {
      const auto name = one_of(
          {"config", "display_name", "matchmaker", "game_modes", "docker", "container_runtime",
           "ports",  "port",         "port_range", "min",        "max",    "cdn",
           "routes", "glob",         "engine",     "unity",      "unreal", "kv",
           "tier",   "regions",      "x"});
      all.push_back("\"" + name + "\":" + value(levels));
    }
    return all;
  }

  static std::string joined(const std::vector<std::string>& members) {
    std::string text = "{";
    for (const auto& member : members)
      text += (text.size() > 1 ? "," : "") + member;
    return text + "}";
  }

private:
  std::string one_of(std::initializer_list<const char*> choices) {
    return choices.begin()[below(choices.size())];
  }

  std::string value(int levels) {
    switch (below(levels > 0 ? 9 : 5)) {
    case 0: return one_of({"null", "true"});
    case 1: return one_of({"0", "-1", "1.5", "1e400", "70000"});
    case 2:
    case 3: return one_of({"\"\"", "\"https\"", "\"\\u202e\""});
    case 4: return "[]";
    case 5: return "[" + object(levels - 1) + "]";
    default: return object(levels - 1);
    }
  }

  std::mt19937 random_;
};

std::vector<finding> found_in(const std::string& body) {
  const auto findings = validate(payload_kind::version, body, {}, default_reference_names());
  RC_ASSERT(findings.has_value());
  return *findings;
}

std::vector<std::string> codes(const std::string& body) {
  std::vector<std::string> all;
  for (const auto& finding : found_in(body))
    all.emplace_back(finding.code);
  std::sort(all.begin(), all.end());
  return all;
}

void drop_repeated_names(std::vector<std::string>& members) {
  const auto name = [](const std::string& member) { return member.substr(0, member.find(':')); };
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end(),
                            [&](const auto& a, const auto& b) { return name(a) == name(b); }),
                members.end());
  // If a neutral name and its alias both occur, their order decides which value is validated.
  if (std::any_of(members.begin(), members.end(),
                  [](const auto& m) { return m.starts_with("\"docker\""); }))
    std::erase_if(members, [](const auto& m) { return m.starts_with("\"container_runtime\""); });
}

TEST_CASE("every finding of the tables points at what its path names") {
  for (const auto& test : validation_cases()) {
    INFO(test.about);
    CHECK(validation_law::check(test.kind, test.body, test.rules, test.names) == "");
    CHECK(validation_law::check(test.body) == "");
  }
}

TEST_CASE("every finding of the real configurations points at what its path names") {
  for (const auto& file : json_files("real-configs")) {
    INFO(file);
    CHECK(validation_law::check(content(file)) == "");
  }
}

TEST_CASE("property: every finding points at what its path names, however many there are") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    config_writer_of_chance chance{seed};
    for (const auto& body : {chance.object(6), R"({"display_name":"v","config":{"matchmaker":)" +
                                                   chance.object(6) + "}}"})
      if (const auto broken = validation_law::check(body); !broken.empty())
        RC_FAIL(broken + "\n" + body);
  }));
}

TEST_CASE("property: the order of members changes no code") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    config_writer_of_chance chance{seed};
    auto members = chance.members(5);
    drop_repeated_names(members);
    const auto wrapped = [&] {
      return R"({"display_name":"v","config":{"matchmaker":)" +
             config_writer_of_chance::joined(members) + "}}";
    };
    const auto before = codes(wrapped());
    for (std::size_t i = members.size(); i > 1; --i)
      std::swap(members[i - 1], members[chance.below(i)]);
    RC_ASSERT(before == codes(wrapped()));
  }));
}

TEST_CASE("property: findings stand in document order until an object ends") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    std::size_t last = 0;
    for (const auto& found : found_in(config_writer_of_chance{seed}.object(6))) {
      if (found.code == "required") continue;
      RC_ASSERT(found.offset >= last);
      last = found.offset;
    }
  }));
}

} // namespace
} // namespace matchcloud::model
