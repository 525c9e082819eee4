#include "app/doctor/health_checks.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace matchcloud::app {
namespace {

base::expected<serve_config> with(std::vector<given_value> values) {
  values.push_back({"listen", "--listen", {"127.0.0.1:0"}});
  values.push_back({"ops-listen", "--ops-listen", {"127.0.0.1:0"}});
  return make_config(values);
}

TEST_CASE("each check has a name of its own, and says what it looks at") {
  std::set<std::string_view> names;
  for (const auto& each : health_checks()) {
    CHECK(names.insert(each.name).second);
    CHECK_FALSE(each.looks_at.empty());
  }
}

TEST_CASE("where a configuration is refused, all of its errors are one finding") {
  examined_service of{with({{"loops", "--loops", {"x"}}, {"auth", "--auth", {"y"}}}), {}};
  REQUIRE_FALSE(of.configuration());
  const auto found = examine(of);
  REQUIRE(found.size() == 2);
  CHECK(found[0].check == "configuration");
  CHECK(found[0].level == finding_level::error);
  CHECK(found[0].message.find("--loops") != std::string::npos);
  CHECK(found[0].message.find("--auth") != std::string::npos);
  CHECK(found[1].check == "processors");
  CHECK(found[1].level == finding_level::ok);
}

TEST_CASE("variables that are no keys are a warning") {
  const fixtures::temporary_directory folder;
  examined_service of{with({{"data-dir", "--data-dir", {folder.path()}}}), {"MATCHCLOUD_LISTNE"}};
  const auto found = check_configuration(of);
  REQUIRE(found.size() == 1);
  CHECK(found[0].level == finding_level::warning);
  CHECK(found[0].message.starts_with("MATCHCLOUD_LISTNE is not"));
}

TEST_CASE("checks make nothing, also where the data directory is missing") {
  const fixtures::temporary_directory folder;
  examined_service of{with({{"data-dir", "--data-dir", {folder.path("a/b")}}}), {}};
  const auto found = examine(of);
  CHECK(std::ranges::none_of(found, [](const health_finding& each) {
    return each.level == finding_level::error || each.check.empty() || each.message.empty();
  }));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("more event loops than processors are a warning") {
  examined_service of{with({{"loops", "--loops", {"256"}}}), {}};
  REQUIRE(of.configuration());
  CHECK(check_processors(of).front().level == finding_level::warning);
}

} // namespace
} // namespace matchcloud::app
