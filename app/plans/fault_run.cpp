#include "app/plans/plan_commands.hpp"
#include "app/plans/plan_run.hpp"
#include "app/plans/plan_summary.hpp"
#include "app/plans/plan_world_options.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"

#include <memory>
#include <optional>

namespace matchcloud::app {

namespace {

using enum cli::exit_code;

constexpr const char* program_name = "matchcloud fault run";

struct run_options {
  plan_world_options world;
  std::string file;
  std::optional<std::uint64_t> seed;
  bool json = false;
  bool dry_run = false;
};

int report_wrong(const base::error& why) {
  cli::say(program_name, why.detail);
  return why.code == base::errc::config_invalid ? usage : failed;
}

/// `plans/slow-store.toml: about, seed 7, 12.0 s`.
std::string title_of(const plan& what) {
  auto title = what.file + ": ";
  if (!what.about.empty()) title += what.about + " ";
  return title + "(seed " + std::to_string(what.seed) + ")\n";
}

int show(const plan& what) {
  auto text = title_of(what);
  for (const auto& each : what.steps)
    text += line_of({each.at, each.text});
  text += line_of({what.lasts, "end"});
  for (const auto& each : what.checks)
    text += "check   " + each.text + "\n";
  return cli::print(program_name, text) ? ok : failed;
}

int report(const run_options& options, const plan& what, const plan_report& found) {
  const auto text = options.json ? json_of(what, found) : summary_of(found);
  if (!cli::print(program_name, text)) return failed;
  if (!found.failure.empty()) cli::say(program_name, found.failure);
  return found.holds() ? ok : failed;
}

int run(const run_options& options, const plan& what, const plan_world& in) {
  const cli::interrupt until;
  const auto tell = [&](const step_report& step) {
    if (!options.json) static_cast<void>(cli::print(program_name, line_of(step)));
  };
  if (!options.json) static_cast<void>(cli::print(program_name, title_of(what)));
  const auto found = plan_run{what, in, until, tell}.run();
  if (!found) return report_wrong(found.error());
  return report(options, what, *found);
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

} // namespace

void add_fault_run_command(CLI::App& fault, int& code) {
  auto* command =
      fault.add_subcommand("run", "Run a plan of faults and report whether its checks hold.");
  command->footer(std::string{run_help} + ops_plane_help + examples);
  const auto options = std::make_shared<run_options>();
  command->add_option("PLAN", options->file, "The plan's file.")
      ->required()
      ->check(cli::named_file());
  command->add_option("--seed", options->seed, "A seed to use instead of the plan's.");
  command->add_flag("--json", options->json, "Print the results as JSON.");
  command->add_flag("--dry-run", options->dry_run,
                    "Print the steps and their times without running them.");
  add_plan_world_options(*command, options->world);
  command->callback([options, &code] {
    const auto what = read_plan(options->file, options->seed);
    if (!what) {
      code = report_wrong(what.error());
      return;
    }
    code = options->dry_run ? show(*what) : run(*options, *what, plan_world_of(options->world));
  });
}

} // namespace matchcloud::app
