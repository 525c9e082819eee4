#include "app/commands/commands.hpp"
#include "app/latency/latency_commands.hpp"

namespace matchcloud::app {

void add_latency_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("latency", "Import and export learned latencies.");
  command->require_subcommand(1);
  set_help(*command,
           "Works on the store; running servers on it see each change within 15 seconds. See "
           "docs/latency.md.\n\nExample: matchcloud latency export latencies.csv");
  add_latency_import_command(*command, code);
  add_latency_export_command(*command, code);
}

} // namespace matchcloud::app
