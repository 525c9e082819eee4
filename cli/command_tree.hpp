#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/// What programs say of their command line, read from the commands that CLI11 has: for completion
/// scripts, manual pages and messages.
namespace matchcloud::cli {

/// A command with all words that call it: `matchcloud store copy`.
struct named_command {
  std::string path;
  const CLI::App* command;
};

/// The program, then its commands, each before its subcommands. `program` must outlive them.
std::vector<named_command> all_commands(const CLI::App& program);

/// What `--help` of the command prints.
std::string help_of(const named_command& of);

/// The subcommands that the help shows.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// The flags, or the arguments, that the help shows.
std::vector<const CLI::Option*> flags_of(const CLI::App& command);
std::vector<const CLI::Option*> arguments_of(const CLI::App& command);

/// The names of a flag, with their dashes: `-o`, `--output`.
std::vector<std::string> names_of(const CLI::Option& flag);

/// Whether a value follows: no plain flag.
bool takes_value(const CLI::Option& option);
/// The values that are allowed, if they are as few as `set_choices` takes; else empty.
std::vector<std::string> choices_of(const CLI::Option& option);
/// What the help calls the value: TEXT, FILE, NUMBER, INT, DURATION and the like.
std::string type_of(const CLI::Option& option);
/// Whether the value may be the name of a file: FILE, and a TEXT of which nothing else is known.
bool may_be_file(const CLI::Option& option);

} // namespace matchcloud::cli
