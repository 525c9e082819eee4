#pragma once

#include "app/config/rules_file.hpp"
#include "model/validation/schema.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::app {

/// Options that all commands about payloads share.
struct payload_options {
  model::payload_kind kind = model::payload_kind::version;
  /// Empty if none was given.
  std::string rules_file;
};

/// Adds `--kind` and `--rules`. `options` must outlive the parsing.
void add_payload_options(CLI::App& command, payload_options& options,
                         const std::string& what_kind_is);

/// The rules of the given file, or of a service without configuration. Fails as read_rules_file()
/// does.
base::expected<payload_rules> rules_of(const payload_options& options);

} // namespace matchcloud::app
