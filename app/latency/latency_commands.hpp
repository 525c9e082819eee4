#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds the command `latency` with its subcommands, whose callbacks store the exit code in `code`.
void add_latency_command(CLI::App& program, int& code);

// Its subcommands.
void add_latency_export_command(CLI::App& latency, int& code);
void add_latency_import_command(CLI::App& latency, int& code);
void add_latency_show_command(CLI::App& latency, int& code);

} // namespace matchcloud::app
