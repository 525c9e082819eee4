#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds the subcommands `set`, `clear` and `list` to `fault`, whose callbacks store the exit code
/// in `code`.
void add_fault_set_command(CLI::App& fault, int& code);
void add_fault_clear_command(CLI::App& fault, int& code);
void add_fault_list_command(CLI::App& fault, int& code);

} // namespace matchcloud::app
