#pragma once

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Each function adds its command, whose callback stores the exit code in `code`.
void add_explain_command(CLI::App& program, int& code);
void add_latency_command(CLI::App& program, int& code);

// Subcommands of `latency`.
void add_latency_export_command(CLI::App& latency, int& code);
void add_latency_import_command(CLI::App& latency, int& code);

} // namespace matchcloud::app
