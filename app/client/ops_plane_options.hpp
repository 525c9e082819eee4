#pragma once

#include "app/client/ops_plane.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

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

/// Adds `--token-file`, for one token; `file` must outlive the parsing.
CLI::Option* add_token_file_option(CLI::App& command, std::string& file);

/// Adds `--ca-file`; `file` must outlive the parsing.
CLI::Option* add_ca_file_option(CLI::App& command, std::string& file);

/// The authorities in `file`, the value of `--ca-file`. If that is empty, the authorities in the
/// file that `MATCHCLOUD_CA_FILE` names, or else the system's. Throws a CLI::ValidationError if the
/// file cannot be used.
certificate_authorities authorities_of(const std::string& file);

/// The ops plane on this machine that listens on MATCHCLOUD_OPS_LISTEN, an `ops-listen` such as
/// `0.0.0.0:8081/tls`, or else on 127.0.0.1:8081. Its certificate is for the name that its clients
/// use, so any is accepted. Throws a CLI::ValidationError if the variable is invalid.
ops_plane ops_plane_of_this_machine();

/// Adds `--url`, `--token-file` and `--ca-file`; `options` must outlive the parsing.
void add_ops_plane_options(CLI::App& command, ops_plane_options& options);

/// Throws a CLI::ValidationError if an option or the environment is invalid. Warns in the name of
/// `program` if others can read the token's file.
ops_plane ops_plane_of(const ops_plane_options& options,
                       std::string_view program = "matchcloud fault");

} // namespace matchcloud::app
