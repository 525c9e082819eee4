#include "app/help/help_commands.hpp"
#include "cli/command_line.hpp"
#include "cli/interrupt.hpp"
#include "cli/man_page.hpp"
#include "cli/output_file.hpp"
#include "cli/parsing.hpp"
#include "cli/print.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace matchcloud::app {

namespace {

struct help_options {
  std::vector<std::string> words;
  std::string man_folder;
};

int report_failure(const std::string& why, int code) {
  cli::say("matchcloud help", why);
  return code;
}

base::expected<void> write_page(const std::string& file, const std::string& page) {
  auto opened = cli::output_file::open(file);
  if (!opened) return tl::unexpected(opened.error());
  const cli::interrupt until;
  auto to = *std::move(opened);
  return to.begin(until).and_then([&] { return to.write(page); }).and_then([&] {
    return to.complete();
  });
}

int write_pages(const CLI::App& program, const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return report_failure(folder + ": " + failure.message(), cli::failed);
  const auto facts = cli::man_page_facts_of_build();
  for (const auto& each : cli::all_commands(program)) {
    const auto file = folder + "/" + man_page_name(each) + ".1";
    if (const auto done = write_page(file, man_page(program, each, facts)); !done)
      return report_failure(done.error().detail, cli::failed);
  }
  return cli::ok;
}

int print_help(const CLI::App& program, const std::vector<std::string>& words) {
  const auto command = cli::find_command(program, words);
  if (!command) return report_failure(command.error().detail, cli::usage);
  return cli::print("matchcloud help", cli::help_of(*command)) ? cli::ok : cli::failed;
}

constexpr const char* help =
    "Prints the same as COMMAND --help. With --man it writes a manual page (section 1) for each "
    "command: matchcloud.1, matchcloud-serve.1, matchcloud-store-copy.1 and so on. Their date is "
    "SOURCE_DATE_EPOCH from the environment; without it they have none.\n\n"
    "Example: matchcloud help store copy\n"
    "Example: matchcloud help --man man1 && man -l man1/matchcloud-serve.1";

} // namespace

void add_help_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("help", "Print the help of a command.");
  cli::set_help(*command, help);
  const auto options = std::make_shared<help_options>();
  auto* words = command->add_option("COMMAND", options->words,
                                    "A command and its subcommand; default: the program itself.");
  command
      ->add_option("--man", options->man_folder,
                   "Write the manual pages into this directory, which is created if missing.")
      ->excludes(words)
      ->check(cli::not_empty());
  command->callback([&program, &code, options] {
    code = options->man_folder.empty() ? print_help(program, options->words)
                                       : write_pages(program, options->man_folder);
  });
}

} // namespace matchcloud::app
