#pragma once

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace matchcloud::cli {

/// What a command has while it runs. Main thread.
class command_run {
public:
  explicit command_run(const CLI::App& command);

  /// All words that call the command: `matchcloud token create`.
  const std::string& name() const noexcept { return name_; }
  const CLI::App& program() const noexcept { return *program_; }

  /// From the first call on, signals no longer end the process: the command looks for them here.
  /// Open a named pipe before, because that blocks until a signal ends the process.
  const interrupt& until();
  /// The progress line, which is gone before the result is printed.
  progress_display& progress();

  /// Tells people on stderr, in the name of the command.
  void say(std::string_view what) const;
  /// Has the command end with `code` once its result is printed, and then with a line on stderr,
  /// if there is one.
  void end_with(int code, std::string line = {});

private:
  friend int run_command(const CLI::App& command,
                         const std::function<std::string(command_run&)>& work);

  const CLI::App* program_;
  std::string name_;
  // A second signal must not end the process before what the command leaves behind is removed, so
  // these outlive its work.
  std::optional<interrupt> until_;
  std::optional<progress_display> progress_;
  int code_ = ok;
  std::string last_line_;
};

/// A command of a program: its help, completion, manual page and line in docs/commands.md follow.
struct command {
  /// `token create`, after the row of `token`.
  std::string words;
  /// One sentence.
  std::string gist;
  /// A description with examples. Unless it has exit codes of its own, the common ones follow.
  std::string help;
  /// Adds the options and returns the command's work, which returns what is printed on stdout and
  /// throws `base::failure`. Empty: it only has subcommands, of which one is required.
  std::function<std::function<std::string(command_run&)>(CLI::App&)> bind = {};
};

using commands = std::vector<command>;

/// A command whose options are members of a struct: `add` adds them, `work` reads them.
template <class Options>
command command_with(std::string words, std::string gist, std::string help,
                     std::type_identity_t<std::function<void(CLI::App&, Options&)>> add,
                     std::string (*work)(const Options&, command_run&)) {
  const auto bind = [add = std::move(add), work](CLI::App& command) {
    const auto options = std::make_shared<Options>();
    add(command, *options);
    return [options, work](command_run& in) { return work(*options, in); };
  };
  return {std::move(words), std::move(gist), std::move(help), bind};
}

/// Adds the commands to `program`. `code` gets the exit code of the one that runs; it must outlive
/// the parsing.
void add_commands(CLI::App& program, int& code, const commands& rows);

/// Throw a `base::failure` from a command's work: the command line or the configuration is wrong,
/// or the command cannot do what was requested.
[[noreturn]] void refuse(std::string why);
[[noreturn]] void give_up(std::string why);

/// The exit code for an error: `usage` if the command line or the configuration is wrong.
int exit_code_of(base::errc why) noexcept;

} // namespace matchcloud::cli
