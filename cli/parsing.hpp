#pragma once

#include "base/expected.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

/// Reads a program's command line from its CLI11 commands, for parsing, completion scripts, manual
/// pages and messages.
namespace matchcloud::cli {

/// A command with all the words that call it: `matchcloud store copy`.
struct named_command {
  std::string path;
  const CLI::App* command;
};

/// The program and then its commands, each before its subcommands. `program` must outlive them.
std::vector<named_command> all_commands(const CLI::App& program);

/// The text that `--help` of the command prints.
std::string help_of(const named_command& of);

/// The subcommands that the help shows.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// The flags, or the arguments, that the help shows.
std::vector<const CLI::Option*> flags_of(const CLI::App& command);
std::vector<const CLI::Option*> arguments_of(const CLI::App& command);

/// The names of a flag, with their dashes: `-o`, `--output`.
std::vector<std::string> names_of(const CLI::Option& flag);

/// Whether the option takes a value, unlike a plain flag.
bool takes_value(const CLI::Option& option);
/// The allowed values, if `set_choices` has set them; otherwise empty.
std::vector<std::string> choices_of(const CLI::Option& option);
/// The name of the value in the help: TEXT, FILE, NUMBER, INT, DURATION and the like.
std::string type_of(const CLI::Option& option);
/// Whether the value may be a file name: FILE, or a TEXT about which nothing else is known.
bool may_be_file(const CLI::Option& option);

/// Removes empty variables that this program or its libraries read (`MATCHCLOUD_*`, `AWS_*`, `PG*`,
/// `SSL_CERT_*`) from the environment, so that they count as absent everywhere. Compose files and
/// unit files set variables to nothing if there is no value, and libraries would use the empty
/// value: libpq rejects an empty PGSSLMODE. Call before any thread is started.
void forget_empty_variables();

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
