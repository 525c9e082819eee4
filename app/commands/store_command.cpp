#include "app/commands/commands.hpp"

namespace matchcloud::app {

void add_store_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("store", "Copy a whole store.");
  command->require_subcommand(1);
  set_help(*command, "Example: matchcloud store copy var postgresql:///matchcloud");
  add_store_copy_command(*command, code);
}

} // namespace matchcloud::app
