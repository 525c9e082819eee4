// Pairs of faults, chosen by chance, under load: what breaks a promise is shrunk and printed as a
// plan. script/soak search tries many.
#include "tests/catch.hpp"
#include "tests/faults/fault_search.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <algorithm>
#include <csignal>
#include <iostream>

namespace matchcloud::faults {
namespace {

using base::fault_kind;
using base::fault_point;

constexpr tried_fault slow_commit{fault_point::store_commit, fault_kind::delay};
constexpr tried_fault lost_reply{fault_point::front_reply, fault_kind::drop};
constexpr tried_fault failing_read{fault_point::store_read, fault_kind::error};

TEST_CASE("faults that fail together are shrunk to those that are needed", "[plans]") {
  const std::vector<tried_fault> all{slow_commit, lost_reply, failing_read};
  const auto has = [](const std::vector<tried_fault>& in, const tried_fault& what) {
    return std::ranges::find(in, what) != in.end();
  };
  CHECK(shrunk(all, [&](const std::vector<tried_fault>& some) { return has(some, lost_reply); }) ==
        std::vector{lost_reply});
  CHECK(shrunk(all, [&](const std::vector<tried_fault>& some) {
          return has(some, slow_commit) && has(some, failing_read);
        }) == std::vector{slow_commit, failing_read});
  CHECK(shrunk(all, [](const std::vector<tried_fault>&) { return false; }) == all);
}

TEST_CASE("what a search prints is a plan", "[plans]") {
  const fixtures::temporary_directory folder;
  folder.file("players.toml", fixtures::read_whole(fixtures::source_path("plans/players.toml")));
  const auto file = folder.file("found.toml", plan_of({slow_commit, lost_reply}, "a request\nx"));
  const auto read = e2e::run({"fault", "run", "--dry-run", file});
  INFO(read.errors);
  CHECK(read.exit_code == 0);
  CHECK(read.out.find("inject store.commit: delay 5..20 ms, every 2") != std::string::npos);
  CHECK(read.out.find("inject front.reply: drop, every 2") != std::string::npos);
  CHECK(read.out.find("check   content = 0") != std::string::npos);
  // The rules are those that the search tried, and its load passes the point.
  const auto rare = plan_of({{fault_point::export_write, fault_kind::error}}, "");
  CHECK(rare.find("every = 1") != std::string::npos);
  CHECK(rare.find("--mix players.toml") != std::string::npos);
}

TEST_CASE("the search sees a service that ended, and nothing where all is well", "[plans]") {
  const e2e::world in;
  CHECK(problem_of(in, {slow_commit}, 1'001).empty());
  const auto killed = problem_of(in, {slow_commit}, 1'002, [](e2e::server& service) {
    service.process().signal(SIGKILL);
    CHECK(service.process().exit_code());
  });
  CHECK_FALSE(killed.empty());
}

TEST_CASE("pairs of faults break no promise", "[chaos]") {
  const e2e::world in;
  chances by{"search"};
  const auto pairs = setting("MATCHCLOUD_SOAK_PAIRS", sanitized ? 2 : 5);
  for (std::uint32_t number = 1; number <= pairs; ++number) {
    const auto pair = random_pair(by);
    auto problem = problem_of(in, pair, 100 + number);
    if (problem.empty()) continue;
    std::uint32_t again = 100'000 * number;
    const auto smallest = shrunk(pair, [&](const std::vector<tried_fault>& some) {
      const auto found = problem_of(in, some, ++again);
      if (!found.empty()) problem = found;
      return !found.empty();
    });
    std::cout << plan_of(smallest, problem) << std::endl;
    CAPTURE(problem);
    FAIL_CHECK("the plan above breaks a promise");
  }
}

} // namespace
} // namespace matchcloud::faults
