#include "tests/app/docs/tables.hpp"

#include "app/all_commands.hpp"
#include "cli/parsing.hpp"

namespace matchcloud::app {

std::string command_table() {
  CLI::App program{"", "matchcloud"};
  int code = 0;
  add_all_commands(program, code);
  std::string table = "| command | what it does |\n|---|---|\n";
  for (const auto& each : cli::all_commands(program)) {
    if (each.command == &program) continue;
    const auto text = each.command->get_description();
    table.append("| `").append(each.path).append("` | ");
    table.append(text, 0, text.find('\n')).append(" |\n");
  }
  return table;
}

} // namespace matchcloud::app
