#pragma once

#include "app/client/ops_plane.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::app {

/// Which ops plane a command asks, and how.
struct ops_plane_options {
  /// Empty: this machine's service.
  std::string url;
  std::string token_file;
  std::string ca_file;
};

/// Says which service is asked without `--url`, for help texts.
inline constexpr const char* ops_plane_help =
    "Without --url the service of this machine is asked, where MATCHCLOUD_OPS_LISTEN of the "
    "environment says that its ops plane listens, or else at http://127.0.0.1:8081. A token of the "
    "kind admin is needed where the service asks for tokens.";

/// Adds `--url`, `--token-file` and `--ca-file`; `options` must outlive the parsing.
void add_ops_plane_options(CLI::App& command, ops_plane_options& options);

/// The token of `--token-file` or the environment; empty: none. Throws a CLI::ValidationError.
std::string ops_token_of(const ops_plane_options& options);

/// Throws a CLI::ValidationError if an option or the environment is of no use.
ops_plane ops_plane_of(const ops_plane_options& options);

} // namespace matchcloud::app
