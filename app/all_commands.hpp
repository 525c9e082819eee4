#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds the commands of the program, in the order of its help. `code` gets the exit code of the one
/// that runs.
void add_all_commands(CLI::App& program, int& code);

} // namespace matchcloud::app
