#include "app/faults/fault_commands.hpp"
#include "app/plans/plan_commands.hpp"
#include "cli/command_line.hpp"

namespace matchcloud::app {

void add_fault_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand(
      "fault", "Make a running service fail on purpose, and check that it copes.");
  command->require_subcommand(1);
  cli::set_help(*command, "The service must have been started with --enable-fault-injection. "
                          "docs/faults.md describes the faults.\n\n"
                          "Example: matchcloud fault set --preset slow-disk --lasts 60s\n"
                          "Example: matchcloud fault run plans/slow-store.toml");
  add_fault_set_command(*command, code);
  add_fault_clear_command(*command, code);
  add_fault_list_command(*command, code);
  add_fault_run_command(*command, code);
}

} // namespace matchcloud::app
