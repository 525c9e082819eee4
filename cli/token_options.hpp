#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::cli {

/// Adds `--token-file`, and a `--token` that only says what to use instead, because every user of a
/// machine can read command lines. Returns `--token-file`; pass its value to `read_bearer_tokens`.
CLI::Option* add_token_options(CLI::App& command, std::string& file,
                               const std::string& description);

} // namespace matchcloud::cli
