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
      "reload", "Have a running service read its configuration again, without a restart.");
  const auto which = std::make_shared<pid_t>(0);
  command->add_option("PID", *which, "The process; without it, the one that serves here.")
      ->check(CLI::Range(1, 4'194'304));
  set_help(*command,
           "The service reads the file of --config again and takes up the keys that can be "
           "reloaded; of the others it says which need a restart. A wrong file is refused whole, "
           "with what is wrong, and nothing changes. What is in force is at GET /v1/config of the "
           "ops plane. SIGHUP does the same and answers in the log.\n\n"
           "Example: matchcloud reload\n"
           "Example: systemctl reload matchcloud");
  command->callback([which, &code] { code = reload(*which); });
}

} // namespace matchcloud::app
