#pragma once

#include "app/certificates/certificate_authorities.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::app {

/// Adds `--ca-file`; `file` must outlive the parsing.
CLI::Option* add_ca_file_option(CLI::App& command, std::string& file);

/// The authorities in `file`, the value of `--ca-file`. If that is empty, the authorities in the
/// file that `MATCHCLOUD_CA_FILE` names, or else the system's. Throws a CLI::ValidationError if the
/// file cannot be used.
certificate_authorities authorities_of(const std::string& file);

} // namespace matchcloud::app
