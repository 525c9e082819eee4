#pragma once

#include "app/certificates/certificate_authorities.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::app {

/// Adds `--ca-file`; `file` must outlive the parsing.
CLI::Option* add_ca_file_option(CLI::App& command, std::string& file);

/// The authorities of `file`, the value of `--ca-file`. Where that is empty, those of the
/// environment's `MATCHCLOUD_CA_FILE`, or else the system's. Throws a CLI::ValidationError if the
/// file is of no use.
certificate_authorities authorities_of(const std::string& file);

} // namespace matchcloud::app
