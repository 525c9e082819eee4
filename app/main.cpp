#include "app/all_commands.hpp"
#include "base/crash_report.hpp"
#include "base/log/service_log.hpp"
#include "cli/command_line.hpp"
#include "cli/parsing.hpp"
#include "cli/print.hpp"
#include "cli/terminal_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>

namespace {

constexpr const char* examples =
    "Example: matchcloud demo --data-dir var\n"
    "Example: matchcloud serve --data-dir var --listen 127.0.0.1:8080\n"
    "Example: matchcloud validate version.json\n"
    "Example: matchcloud help store copy";

/// Opens /dev/null for standard streams that are closed at the start, because files opened later
/// would get their descriptors and receive output meant for stdout or stderr. Each is opened in the
/// wrong direction, so that using it still fails.
void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) // open() takes the lowest free descriptor, which is this one
      static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

} // namespace

int main(int argc, char* argv[]) {
  occupy_standard_streams();
  // A write to a closed connection or beyond the file size limit must fail with errno, not end the
  // process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Scripts send these to every process of a name. No command uses them.
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  const matchcloud::cli::terminal_filter out{std::cout};
  const matchcloud::cli::terminal_filter errors{std::cerr};
  matchcloud::cli::forget_empty_variables();
  // The log is bounded by `base::log_limit`. `serve` replaces it by a `base::service_log`.
  matchcloud::base::report_crashes();
  matchcloud::base::log_to_stderr();

  CLI::App program{"matchcloud: the cloud side of a multiplayer matchmaker.\n\n"
                   "Validates game, group and game version payloads and ranks regions for players "
                   "over HTTP.\nStart with `matchcloud demo` and `matchcloud serve`.",
                   "matchcloud"};
  program.require_subcommand(1);
  int code = matchcloud::cli::ok;
  matchcloud::app::add_all_commands(program, code);
  program.footer(std::string{examples} + "\n\n" + matchcloud::cli::exit_code_help);
  try {
    return matchcloud::cli::parse_command_line(program, argc, argv).value_or(code);
  } catch (const std::exception& failure) {
    matchcloud::cli::say("matchcloud", failure.what());
    return matchcloud::cli::failed;
  }
}
