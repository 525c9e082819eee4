#include "app/commands/commands.hpp"
#include "cli/empty_variables.hpp"
#include "model/access/hidden_passwords.hpp"
#include "model/access/token_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace {

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
  using namespace matchcloud::app;
  occupy_standard_streams();
  // A write to a closed connection or beyond the file size limit must fail with errno, not end the
  // process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Scripts send these to every process of a name. None of the commands has a use for them.
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  matchcloud::cli::forget_empty_variables();
  begin_log();

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
  add_store_command(program, code);
  add_objects_command(program, code);
  add_token_command(program, code);
  add_audit_command(program, code);
  add_geoip_command(program, code);
  add_signing_key_command(program, code);
  add_tls_command(program, code);
  add_export_command(program, code);
  add_validate_command(program, code);
  add_demo_command(program, code);
  add_schema_command(program, code);
  add_openapi_command(program, code);
  add_version_command(program, code);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) { // --help
    return program.exit(request);
  } catch (const CLI::ParseError& failure) {
    // CLI11 reports a missing subcommand before an unknown one.
    const auto unknown = program.remaining();
    auto why = std::string{failure.what()};
    if (!unknown.empty()) why += "; there is no \"" + unknown.front() + "\"";
    // It may quote a token or a password that was given in the wrong place.
    why = matchcloud::model::hide_passwords(matchcloud::model::redact_tokens(std::move(why)));
    std::cerr << "matchcloud: " << why << "\nTry `matchcloud --help` or `matchcloud "
              << "COMMAND --help`.\n";
    return usage;
  } catch (const std::exception& failure) {
    std::cerr << "matchcloud: " << failure.what() << "\n";
    return failed;
  }
  return code;
}
