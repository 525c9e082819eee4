#pragma once

#include "app/client/ops_plane.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::app {

/// Which ops plane a command calls, and how.
struct ops_plane_options {
  /// Empty: this machine's service.
  std::string url;
  std::string token_file;
  std::string ca_file;
};

/// Says which service is called without `--url`, for help texts.
inline constexpr const char* ops_plane_help =
    "Without --url the command calls the service on this machine, at the ops plane that "
    "MATCHCLOUD_OPS_LISTEN names or else at http://127.0.0.1:8081. If the service requires tokens, "
    "use one of the kind admin.";

/// Adds `--url`, `--token-file` and `--ca-file`; `options` must outlive the parsing.
void add_ops_plane_options(CLI::App& command, ops_plane_options& options);

/// Throws a CLI::ValidationError if an option or the environment is invalid.
ops_plane ops_plane_of(const ops_plane_options& options);

} // namespace matchcloud::app
