#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Each function adds its subcommand, whose callback stores the exit code in `code`.
void add_backup_command(CLI::App& program, int& code);
void add_restore_command(CLI::App& program, int& code);
void add_verify_command(CLI::App& program, int& code);

} // namespace matchcloud::app
