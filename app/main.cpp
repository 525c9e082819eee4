#include "app/commands/commands.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>

namespace {

/// Takes the places of standard streams that whoever started this closed, or files would get them
/// and be written to as if they were stdout or stderr. Using such a stream still fails.
void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) // the lowest that is free is this one
      static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

} // namespace

int main(int argc, char* argv[]) {
  using namespace matchcloud::app;
  occupy_standard_streams();
  // A client that is gone, or a file that may not grow, is an errno of a write, not the end of the
  // process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  spdlog::set_default_logger(spdlog::stderr_color_mt("matchcloud"));

  CLI::App program{"matchcloud: the cloud side of a multiplayer matchmaker.\n\n"
                   "Validates game, group and game version payloads and ranks regions for players "
                   "over HTTP.\nStart with `matchcloud demo` and `matchcloud serve`.",
                   "matchcloud"};
  program.require_subcommand(1);
  program.footer(matchcloud::cli::exit_code_help);
  int code = ok;
  add_serve_command(program, code);
  add_import_command(program, code);
  add_catalog_command(program, code);
  add_geoip_command(program, code);
  add_signing_key_command(program, code);
  add_export_command(program, code);
  add_validate_command(program, code);
  add_demo_command(program, code);
  add_schema_command(program, code);
  add_version_command(program, code);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) { // --help
    return program.exit(request);
  } catch (const CLI::ParseError& failure) {
    // CLI11 misses a subcommand before it complains about a word that is none.
    const auto unknown = program.remaining();
    std::cerr << "matchcloud: " << failure.what()
              << (unknown.empty() ? "" : "; there is no \"" + unknown.front() + "\"")
              << "\nTry `matchcloud --help` or `matchcloud "
              << "COMMAND --help`.\n";
    return usage;
  } catch (const std::exception& failure) {
    std::cerr << "matchcloud: " << failure.what() << "\n";
    return failed;
  }
  return code;
}
