#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds `help`, which prints the same as `--help` of a command, or writes the manual pages of all
/// commands. Its callback stores the exit code in `code`.
void add_help_command(CLI::App& program, int& code);

/// Adds `completion`, which prints a script for a shell. Its callback stores the exit code in
/// `code`.
void add_completion_command(CLI::App& program, int& code);

} // namespace matchcloud::app
