#include "app/backup/backup_options.hpp"

#include "cli/command_line.hpp"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

/// A page of rows takes a server milliseconds; counting a large table takes longer.
constexpr std::chrono::minutes statement_timeout{2};

constexpr std::array<std::string_view, 10> store_keys{
    "data-dir",         "store",
    "store-unverified", "master-key-file",
    "objects",          "objects-endpoint",
    "objects-region",   "objects-path-style",
    "objects-ca-file",  "objects-metadata-credentials"};

} // namespace

void add_backup_options(CLI::App& command, backup_options& options) {
  add_config_option(command, options.configuration);
  for (const auto& name : store_keys)
    if (const auto* key = find_config_key(std::string{name}))
      add_key_option(command, options.configuration, *key);
  cli::add_format_option(command, options.format);
}

CLI::Option* add_folder_argument(CLI::App& command, backup_options& options,
                                 const std::string& help) {
  return command
      .add_option_function<std::string>(
          "DIR",
          [&options](std::string folder) {
            while (folder.size() > 1 && folder.back() == '/')
              folder.pop_back();
            options.folder = std::move(folder);
          },
          help)
      ->check(cli::not_empty());
}

base::expected<store::store_place> place_of(const backup_options& options) {
  std::vector<std::string> unknown; // serve warns about these
  return read_configuration(options.configuration, unknown).map([](serve_config config) {
    config.store.statement_timeout = statement_timeout;
    return config.store;
  });
}

} // namespace matchcloud::app
