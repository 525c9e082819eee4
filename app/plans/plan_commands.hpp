#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds the command `fault` with its subcommands, whose callbacks store the exit code in `code`.
void add_fault_command(CLI::App& program, int& code);

/// Adds `fault run`.
void add_fault_run_command(CLI::App& fault, int& code);

} // namespace matchcloud::app
