#pragma once

#include "app/config/config.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace matchcloud::app {

/// What a command line gave of the configuration, before the other sources are added.
struct configuration_options {
  std::map<std::string, std::vector<std::string>> flags;
  std::string config_file;
};

/// Adds `--config`. `options` lives as long as the command.
void add_config_option(CLI::App& command, configuration_options& options);

/// Adds the flag of a key.
void add_key_option(CLI::App& command, configuration_options& options, const config_key& key);

/// The configuration of all sources: file, then environment, then flags; the nearer to the user,
/// the stronger. Warns of variables of the environment that are no keys. Fails with
/// `config_invalid`.
base::expected<serve_config> read_configuration(const configuration_options& options);

} // namespace matchcloud::app
