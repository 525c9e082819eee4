#pragma once

#include "base/expected.hpp"
#include "cli/command_tree.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace matchcloud::cli {

/// Parses the command line and runs the callback of its command. Returns nothing if that ran, else
/// the code to exit with: help was printed, or stderr says what is wrong. A program with commands
/// that is called alone prints its help. Commands and flags that do not exist get a suggestion.
std::optional<int> parse_command_line(CLI::App& program, int argc, const char* const* argv);

/// The command of `program` that these words call. Fails with `config_invalid` and a suggestion.
base::expected<named_command> find_command(const CLI::App& program,
                                           const std::vector<std::string>& words);

/// Says on stderr what is wrong with a command line that was parsed, without secrets, and which
/// help says what is allowed. Returns `usage`.
int report_usage(const CLI::App& program, std::string why);

} // namespace matchcloud::cli
