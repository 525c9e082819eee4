#pragma once

#include "app/config/config.hpp"
#include "base/failure.hpp"
#include "cli/command.hpp"
#include "model/audit/audit.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/database.hpp"
#include "store/engines/store_place.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

using base::value_of;
using cli::command_run;
using cli::command_with;
using cli::give_up;
using cli::named_file;
using cli::not_empty;
using cli::refuse;
using enum cli::exit_code;

// Each function returns the rows of one command and its subcommands.

cli::commands serve_command();
cli::commands doctor_command();
cli::commands import_commands();
cli::commands catalog_commands();
cli::commands store_commands();
/// `backup`, `restore` and `verify`.
cli::commands backup_commands();
cli::commands objects_commands();
cli::commands game_commands();
cli::commands avatar_commands();
cli::commands retention_command();
cli::commands lobbies_commands();
cli::commands token_commands();
cli::commands audit_command();
cli::commands explain_command();
cli::commands latency_commands();
cli::commands signing_key_commands();
cli::commands tls_commands();
cli::commands health_command();
cli::commands export_command();
cli::commands validate_command();
cli::commands fault_commands();
cli::commands demo_command();
cli::commands schema_command();
cli::commands openapi_command();
cli::commands reload_command();
cli::commands version_command();
cli::commands help_command();
cli::commands completion_command();

/// The part of the configuration that the command line gave, before other sources are merged.
struct configuration_options {
  std::map<std::string, std::vector<std::string>> flags;
  std::string config_file;
};

/// Adds `--config`. `options` must outlive the command.
CLI::Option* add_config_option(CLI::App& command, configuration_options& options);

/// Adds `--config` and the flags of these keys. `options` must outlive the command.
void add_configuration(CLI::App& command, configuration_options& options,
                       std::initializer_list<const char*> keys);

/// Adds the flag of a key. `options` must outlive the command.
void add_key_option(CLI::App& command, configuration_options& options, const config_key& key);

/// The values of the keys' flags.
std::vector<given_value> given_flags(const configuration_options& options);

/// The values of the file, the environment and the flags, each overriding the ones before it. Adds
/// `MATCHCLOUD_*` variables that are not keys to `unknown`. Fails with `config_invalid`.
base::expected<std::vector<given_value>> read_given(const configuration_options& options,
                                                    std::vector<std::string>& unknown);
/// Warns about variables that are not keys.
void warn_of_variables(const std::vector<std::string>& unknown);
/// Like the overload above, and warns about variables that are not keys.
base::expected<std::vector<given_value>> read_given(const configuration_options& options);

/// The configuration made of these values. Fails with `config_invalid`.
base::expected<serve_config> read_configuration(const configuration_options& options);

// What commands share: options, and what most do with a store. All fail with `base::failure`.

/// Adds the options that say where the store is: `--data-dir`, `--store` and `--store-unverified`.
/// MATCHCLOUD_DATA_DIR, MATCHCLOUD_STORE and MATCHCLOUD_STORE_UNVERIFIED in the environment replace
/// missing flags, as in serve. Returns `--data-dir`, so that a command can add requirements.
/// `place` must outlive the parsing.
CLI::Option* add_store_options(CLI::App& command, store::store_place& place);

/// Adds `--master-key-file`, for commands that read or change secrets.
void add_master_key_option(CLI::App& command, store::store_place& place);

/// Adds the options that say where images and exports are: `--objects` and the other
/// `--objects-..`, with their variables as in serve. `place` must outlive the parsing.
void add_objects_options(CLI::App& command, store::store_place& place);

/// Reads an RFC 3339 time, or a date such as `2026-01-31`, which is its first instant (UTC).
/// Returns milliseconds since 1970; nothing for any other text.
std::optional<std::int64_t> parse_time_or_date(std::string_view text);

/// The direction of a duration from now.
enum class direction : std::uint8_t { ahead, back };

/// Reads the value of `option`: a time or date as above, or a duration from `now_ms`, which ends no
/// earlier than 1970. Returns milliseconds since 1970. Fails with `query_invalid`.
std::int64_t moment_of(std::string_view option, const std::string& text, std::int64_t now_ms,
                       direction where);

/// The run of a command that makes many changes in many transactions: the first transaction that
/// changes anything writes the only audit entry, `action` of `file` by this process's user. `file`
/// is the input as given to the command, empty if there is none; the entry has it in printable
/// form.
model::audit_run_ptr audited_run(model::audit_action action, std::string_view file = {});

/// Shows the progress of a long copy, and ends it when a signal arrives. Call it before threads
/// start; valid as long as `in`.
store::copy_watch watch_of(cli::command_run& in);

/// The whole catalog.
model::catalog catalog_of(store::database& in);
/// The store's clock, in milliseconds since 1970.
std::int64_t time_of(store::database& in);

} // namespace matchcloud::app
