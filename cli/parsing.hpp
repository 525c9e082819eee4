#pragma once

#include "base/expected.hpp"
#include "cli/command_tree.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace matchcloud::cli {

/// Parses the command line and runs the callback of its command. Returns nothing if the callback
/// ran. Otherwise help was printed or stderr says what is wrong; returns the exit code. A program
/// with commands that is called without one prints its help. Unknown commands and flags get a
/// suggestion.
std::optional<int> parse_command_line(CLI::App& program, int argc, const char* const* argv);

/// The command of `program` that the words call. Fails with `config_invalid` and a suggestion.
base::expected<named_command> find_command(const CLI::App& program,
                                           const std::vector<std::string>& words);

/// Reports on stderr, without secrets, what is wrong with a command line that was parsed, and
/// points to the right help. Returns `usage`.
int report_usage(const CLI::App& program, std::string why);

} // namespace matchcloud::cli
