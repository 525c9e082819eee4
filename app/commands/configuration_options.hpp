#pragma once

#include "app/config/config.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The part of the configuration that the command line gave, before other sources are merged.
struct configuration_options {
  std::map<std::string, std::vector<std::string>> flags;
  std::string config_file;
};

/// Adds `--config`. `options` must outlive the command.
CLI::Option* add_config_option(CLI::App& command, configuration_options& options);

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
base::expected<serve_config> read_configuration(const configuration_options& options,
                                                std::vector<std::string>& unknown);
base::expected<serve_config> read_configuration(const configuration_options& options);

} // namespace matchcloud::app
