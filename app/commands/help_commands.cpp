#include "app/commands/commands.hpp"
#include "base/build_info.hpp"
#include "cli/completion.hpp"
#include "cli/man_page.hpp"
#include "cli/output_file.hpp"
#include "cli/parsing.hpp"
#include "model/json/json_writer.hpp"

#include <caf/config.hpp>
#include <httplib.h>
#include <rapidjson/rapidjson.h>
#include <sqlite3.h>

#include <filesystem>
#include <system_error>

namespace matchcloud::app {

namespace {

// -- help ---------------------------------------------------------------------

struct help_options {
  std::vector<std::string> words;
  std::string man_folder;
};

void write_page(const std::string& file, const std::string& page, const cli::interrupt& until) {
  auto to = value_of(cli::output_file::open(file));
  value_of(to.begin(until));
  value_of(to.write(page));
  value_of(to.complete());
}

std::string print_help(const help_options& options, command_run& in) {
  const auto& folder = options.man_folder;
  if (folder.empty()) return cli::help_of(value_of(cli::find_command(in.program(), options.words)));
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) give_up(folder + ": " + failure.message());
  const auto facts = cli::man_page_facts_of_build();
  for (const auto& each : cli::all_commands(in.program()))
    write_page(folder + "/" + man_page_name(each) + ".1", man_page(in.program(), each, facts),
               in.until());
  return {};
}

void add_help(CLI::App& command, help_options& options) {
  auto* words = command.add_option("COMMAND", options.words,
                                   "A command and its subcommand; default: the program itself.");
  command
      .add_option("--man", options.man_folder,
                  "Write the manual pages into this directory, which is created if missing.")
      ->excludes(words)
      ->check(not_empty());
}

constexpr const char* help_text =
    "Prints the same as COMMAND --help. With --man it writes a manual page (section 1) for each "
    "command: matchcloud.1, matchcloud-serve.1, matchcloud-store-copy.1 and so on. Their date is "
    "SOURCE_DATE_EPOCH from the environment; without it they have none.\n\n"
    "Example: matchcloud help store copy\n"
    "Example: matchcloud help --man man1 && man -l man1/matchcloud-serve.1";

// -- completion ---------------------------------------------------------------

struct completion_options {
  std::string shell;
};

std::string print_completion(const completion_options& options, command_run& in) {
  return cli::bash_completion(in.program(), in.name() + " " + options.shell);
}

constexpr const char* completion_text =
    "The script completes commands, flags, and the values of flags that have only a few. The "
    "packages install it; otherwise load it in ~/.bashrc.\n\n"
    "Example: source <(matchcloud completion bash)\n"
    "Example: matchcloud completion bash > ~/.local/share/bash-completion/completions/matchcloud";

// -- version ------------------------------------------------------------------

struct version_options {
  bool json = false;
};

std::string version_line() {
  return "matchcloud " + describe(base::built());
}

std::string print_version(const version_options& options, command_run&) {
  if (!options.json)
    return version_line() + "\nCAF " + std::to_string(CAF_VERSION) + ", cpp-httplib " +
           CPPHTTPLIB_VERSION + ", RapidJSON " + RAPIDJSON_VERSION_STRING + ", SQLite " +
           sqlite3_libversion() + "\n";
  const auto& built = base::built();
  model::json_writer json;
  json.object().name("matchcloud").text(built.version).name("commit").text(built.commit);
  json.name("build_type").text(built.build_type).name("caf").number(CAF_VERSION);
  json.name("cpp_httplib").text(CPPHTTPLIB_VERSION);
  json.name("rapidjson").text(RAPIDJSON_VERSION_STRING);
  json.name("sqlite").text(sqlite3_libversion());
  return json.end_object().take() + "\n";
}

} // namespace

cli::commands help_command() {
  return {command_with<help_options>("help", "Print the help of a command.", help_text, add_help,
                                     print_help)};
}

cli::commands completion_command() {
  return {command_with<completion_options>(
      "completion", "Print a completion script for a shell.", completion_text,
      [](CLI::App& command, completion_options& options) {
        auto* shell = command.add_option("SHELL", options.shell, "The shell: bash.")->required();
        cli::set_choices(*shell, {"bash"});
      },
      print_completion)};
}

cli::commands version_command() {
  return {command_with<version_options>(
      "version", "Print the version.",
      "Prints the versions of matchcloud and of the libraries that it is built on.\n\n"
      "Example: matchcloud version --json",
      [](CLI::App& command, version_options& options) {
        command.get_parent()->set_version_flag("-V,--version", version_line,
                                               "Print the version and exit.");
        command.add_flag("--json", options.json, "Print one JSON object.");
      },
      print_version)};
}

} // namespace matchcloud::app
