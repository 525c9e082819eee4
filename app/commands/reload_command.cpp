#include "app/commands/commands.hpp"
#include "app/process/reload_request.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

/// How long a service may take to read its configuration.
constexpr std::chrono::seconds patience{20};

int reload(pid_t which) {
  const auto done = (which != 0 ? base::expected<pid_t>{which} : find_serving_process())
                        .and_then([](pid_t found) { return ask_to_reload(found, patience); });
  if (!done) {
    std::cerr << "matchcloud reload: " << done.error().detail << "\n";
    return failed;
  }
  if (done->is_refused) {
    std::cerr << "matchcloud reload: refused, nothing has changed: " << done->text;
    return failed;
  }
  std::cout << done->text << std::flush;
  return ok;
}

} // namespace

void add_reload_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand(
      "reload", "Make a running service reload its configuration without a restart.");
  const auto which = std::make_shared<pid_t>(0);
  command->add_option("PID", *which, "The process id; default: the service on this machine.")
      ->check(CLI::Range(1, 4'194'304));
  set_help(*command,
           "The service reads the file of --config again, applies the keys that can be reloaded, "
           "and lists changed keys that need a restart. If the file has any error, it is refused "
           "with the reason and nothing changes. GET /v1/config on the ops plane returns the "
           "values in force. SIGHUP does the same and reports in the log.\n\n"
           "Example: matchcloud reload\n"
           "Example: systemctl reload matchcloud");
  command->callback([which, &code] { code = reload(*which); });
}

} // namespace matchcloud::app
