#pragma once

#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>

namespace matchcloud::app {

using cli::named_file;
using cli::not_empty;
using cli::set_help;
using enum cli::exit_code;

/// Sends the log, bounded by `base::log_limit`, and crash reports to stderr. `serve` replaces the
/// log by a `base::service_log`.
void begin_log();

/// Each function adds its subcommand, whose callback stores the exit code in `code`.
void add_serve_command(CLI::App& program, int& code);
void add_doctor_command(CLI::App& program, int& code);
void add_import_command(CLI::App& program, int& code);
/// Subcommands of `import`.
void add_import_avatars_command(CLI::App& import, int& code);
void add_import_lobbies_command(CLI::App& import, int& code);
void add_catalog_command(CLI::App& program, int& code);
void add_store_command(CLI::App& program, int& code);
/// A subcommand of `store`.
void add_store_copy_command(CLI::App& store, int& code);
void add_objects_command(CLI::App& program, int& code);
void add_token_command(CLI::App& program, int& code);
void add_audit_command(CLI::App& program, int& code);
void add_signing_key_command(CLI::App& program, int& code);
void add_tls_command(CLI::App& program, int& code);
/// A subcommand of `tls`.
void add_tls_self_signed_command(CLI::App& tls, int& code);
void add_health_command(CLI::App& program, int& code);
void add_export_command(CLI::App& program, int& code);
void add_validate_command(CLI::App& program, int& code);
void add_demo_command(CLI::App& program, int& code);
void add_schema_command(CLI::App& program, int& code);
void add_openapi_command(CLI::App& program, int& code);
void add_reload_command(CLI::App& program, int& code);
void add_version_command(CLI::App& program, int& code);

} // namespace matchcloud::app
