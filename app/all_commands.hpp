#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds the commands of the program, whose callbacks store the exit code in `code`.
void add_all_commands(CLI::App& program, int& code);

} // namespace matchcloud::app
