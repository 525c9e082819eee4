#include "app/commands/commands.hpp"

namespace matchcloud::app {

void add_tls_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("tls", "Make certificates for testing TLS.");
  command->require_subcommand(1);
  set_help(*command, "If others rely on the service, have an authority issue the certificate "
                     "instead.\n\nExample: matchcloud tls self-signed --out-dir var/tls");
  add_tls_self_signed_command(*command, code);
}

} // namespace matchcloud::app
