#pragma once

#include "app/commands/configuration_options.hpp"
#include "base/expected.hpp"
#include "store/engines/store_place.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::app {

/// Options that backup, restore and verify share.
struct backup_options {
  /// The backup's folder; empty if none was given.
  std::string folder;
  configuration_options configuration;
  std::string format = "table";
};

/// Adds `--config`, the keys of serve that say where a store is, and `--format`. `options` must
/// outlive the command.
void add_backup_options(CLI::App& command, backup_options& options);
/// Adds the argument DIR.
CLI::Option* add_folder_argument(CLI::App& command, backup_options& options,
                                 const std::string& help);

/// Where the store is, according to the flags, the environment and the file. Fails with
/// `config_invalid`.
base::expected<store::store_place> place_of(const backup_options& options);

} // namespace matchcloud::app
