// Checks the fuzz target's properties on deliberately invalid bodies.
#include "tests/fixtures/validation_law.hpp"

#include "tests/catch.hpp"
#include "tests/model/validation/valid_version.hpp"
#include "tests/model/validation/validation_cases.hpp"
#include "tests/model/validation/version_mutations.hpp"

#include <rapidcheck.h>

namespace matchcloud::model {

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
    chance random{seed};
    const auto mutations = version_mutations();
    auto version = valid_version(random);
    for (auto violations = random.below(12); violations > 0; --violations)
      spoil(version, mutations[random.below(mutations.size())], random);
    const auto body = to_text(version);
    if (const auto broken = validation_law::check(body); !broken.empty())
      RC_FAIL(broken + "\n" + body);
  }));
}

} // namespace matchcloud::model
