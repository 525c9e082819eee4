#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Each function adds its command, whose callback stores the exit code in `code`.
void add_game_command(CLI::App& program, int& code);
void add_avatar_command(CLI::App& program, int& code);
void add_retention_command(CLI::App& program, int& code);
void add_lobbies_command(CLI::App& program, int& code);

} // namespace matchcloud::app
