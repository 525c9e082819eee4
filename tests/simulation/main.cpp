#include "tests/simulation/database.hpp"
#include "tests/simulation/scenario.hpp"
#include "tests/simulation/seed.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace matchcloud::simulation {
namespace {

struct options {
  std::uint64_t seeds = 500;
  std::uint64_t first = 1;
  std::optional<std::uint64_t> only;
  std::size_t steps = 400;
  bool traced = false;
  /// One in so many seeds runs twice.
  std::uint64_t repeated = 10;
};

struct outcome {
  bool holds = true;
  std::uint64_t hash = 0;
  std::size_t lines = 0;
};

outcome run(std::uint64_t seed, const options& how, files& on_disk, bool traced) {
  trace to{traced};
  scenario now{seed, on_disk, to};
  while (to.step < how.steps && now.violations().empty())
    now.step();
  // After a violation the run is not closed: consequences would hide the cause.
  if (now.violations().empty()) now.close();
  return {now.violations().empty(), to.hash(), to.lines()};
}

/// Runs a seed and returns whether all checks held.
bool check(std::uint64_t seed, const options& how, files& on_disk) {
  const auto found = run(seed, how, on_disk, how.traced);
  bool holds = found.holds;
  if (holds && how.repeated != 0 && seed % how.repeated == 0) {
    const auto again = run(seed, how, on_disk, false);
    holds = again.hash == found.hash;
    if (!holds)
      std::printf("seed %llu: a second run differs, %zu lines and %zu\n",
                  static_cast<unsigned long long>(seed), found.lines, again.lines);
  }
  if (how.traced)
    std::printf("seed %llu: %zu lines, hash %016llx\n", static_cast<unsigned long long>(seed),
                found.lines, static_cast<unsigned long long>(found.hash));
  if (!holds)
    std::printf("  replay: script/simulate --seed %llu --steps %zu --trace\n",
                static_cast<unsigned long long>(seed), how.steps);
  std::fflush(stdout);
  return holds;
}

int simulate(const options& how) {
  std::signal(SIGPIPE, SIG_IGN); // as the program does
  spdlog::set_level(how.traced ? spdlog::level::info : spdlog::level::off);
  files on_disk;
  if (how.only) return check(*how.only, how, on_disk) ? EXIT_SUCCESS : EXIT_FAILURE;
  const auto begun = std::chrono::steady_clock::now();
  std::uint64_t failed = 0;
  for (auto seed = how.first; seed < how.first + how.seeds; ++seed)
    failed += check(seed, how, on_disk) ? 0 : 1;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::printf("simulate: %llu seeds from %llu on, %llu failed, %.1f s\n",
              static_cast<unsigned long long>(how.seeds),
              static_cast<unsigned long long>(how.first), static_cast<unsigned long long>(failed),
              took.count());
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace
} // namespace matchcloud::simulation

int main(int count, char** words) {
  matchcloud::simulation::options how;
  CLI::App app{"Runs whole nodes and their clients in one thread, each from one seed, and breaks "
               "them; fails where a rule of the service does not hold."};
  app.add_option("--seeds", how.seeds, "How many seeds")->capture_default_str();
  app.add_option("--first", how.first, "The first of them")->capture_default_str();
  app.add_option("--seed", how.only, "This one alone");
  app.add_option("--steps", how.steps, "What happens by chance before all is healed")
      ->capture_default_str();
  app.add_option("--repeated", how.repeated,
                 "Every so many seeds one runs twice, the same; 0: none")
      ->capture_default_str();
  app.add_flag("--trace", how.traced, "Prints what happens, a line each");
  CLI11_PARSE(app, count, words);
  return matchcloud::simulation::simulate(how);
}
