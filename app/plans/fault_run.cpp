#include "app/plans/plan_commands.hpp"
#include "app/plans/plan_run.hpp"
#include "app/plans/plan_summary.hpp"
#include "app/plans/plan_world_options.hpp"
#include "base/failure.hpp"
#include "cli/print.hpp"

#include <optional>

namespace matchcloud::app {

namespace {

using base::value_of;

struct run_options {
  plan_world_options world;
  std::string file;
  std::optional<std::uint64_t> seed;
  bool json = false;
  bool dry_run = false;
};

/// `plans/slow-store.toml: about, seed 7, 12.0 s`.
std::string title_of(const plan& what) {
  auto title = what.file + ": ";
  if (!what.about.empty()) title += what.about + " ";
  return title + "(seed " + std::to_string(what.seed) + ")\n";
}

std::string steps_of(const plan& what) {
  auto text = title_of(what);
  for (const auto& each : what.steps)
    text += line_of({each.at, each.text});
  text += line_of({what.lasts, "end"});
  for (const auto& each : what.checks)
    text += "check   " + each.text + "\n";
  return text;
}

std::string run_plan(const run_options& options, cli::command_run& in) {
  const auto what = value_of(read_plan(options.file, options.seed));
  if (options.dry_run) return steps_of(what);
  const auto world = plan_world_of(options.world);
  const auto& until = in.until();
  const auto tell = [&](const std::string& text) {
    if (!options.json) static_cast<void>(cli::print(in.name(), text));
  };
  tell(title_of(what));
  const auto found = value_of(
      plan_run{what, world, until, [&](const step_report& step) { tell(line_of(step)); }}.run());
  const auto failure = found.failure.empty() ? "" : cli::said(in.name(), found.failure);
  in.end_with(found.holds() ? cli::ok : cli::failed, failure);
  return options.json ? json_of(what, found) : summary_of(found);
}

constexpr const char* run_help =
    "Runs a plan: a TOML file with timed steps and with checks. Steps inject and heal faults, "
    "kill, pause and resume processes, and change the load from matchcloud-load. docs/faults.md "
    "describes the format; plans/ has examples.\n\n"
    "However the plan ends, its faults are healed and its paused processes resumed. If this "
    "program is killed, the faults heal by themselves a minute after the plan's end.\n\n";

constexpr const char* examples =
    "\n\nExit codes: 0 all checks hold, 1 a check fails or the plan could not be carried out "
    "(stderr says why), 2 wrong command line or plan.\n\n"
    "Example: matchcloud fault run plans/slow-store.toml\n"
    "Example: matchcloud fault run kill.toml --pid $(pidof matchcloud)\n"
    "Example: script/cluster --once sh -c 'matchcloud fault run kill.toml --cluster "
    "$CLUSTER_FOLDER'";

void add_run(CLI::App& command, run_options& options) {
  command.add_option("PLAN", options.file, "The plan's file.")
      ->required()
      ->check(cli::named_file());
  command.add_option("--seed", options.seed, "A seed to use instead of the plan's.");
  command.add_flag("--json", options.json, "Print the results as JSON.");
  command.add_flag("--dry-run", options.dry_run,
                   "Print the steps and their times without running them.");
  add_plan_world_options(command, options.world);
}

} // namespace

cli::commands fault_run_command() {
  return {cli::command_with<run_options>(
      "fault run", "Run a plan of faults and report whether its checks hold.",
      std::string{run_help} + ops_plane_help + examples, add_run, run_plan)};
}

} // namespace matchcloud::app
