#include "app/commands/commands.hpp"
#include "app/process/process_arguments.hpp"
#include "app/process/reload_request.hpp"
#include "cli/print.hpp"
#include "model/text/unicode.hpp"
#include "store/local_author.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace matchcloud::app {

namespace {

/// How long a service may take to read its configuration.
constexpr std::chrono::seconds patience{20};
/// The most characters that describe a service.
constexpr std::size_t description_limit = 1'024;

/// The value of a flag that a service was started with; empty if there is none.
std::string value_of(pid_t which, const std::string& key) {
  const auto arguments = arguments_of(which);
  const auto flag = "--" + key;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i].starts_with(flag + "=")) return arguments[i].substr(flag.size() + 1);
    if (arguments[i] == flag && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return {};
}

/// `1234 (user games, in /srv/games, --config service.toml)`: what tells services apart. Others
/// chose the texts.
std::string describe_service(pid_t which) {
  std::error_code unknown;
  const auto folder =
      std::filesystem::read_symlink("/proc/" + std::to_string(which) + "/cwd", unknown);
  auto text = std::to_string(which) + " (user " + store::name_of_user(user_of(which)) + ", in " +
              folder.string();
  for (const std::string key : {"config", "data-dir", "listen"})
    if (const auto value = value_of(which, key); !value.empty())
      text.append(", --").append(key).append(" ").append(value);
  return model::printable_excerpt(text, description_limit) + ")";
}

base::expected<pid_t> find_service() {
  const auto found = serving_processes();
  if (found.size() == 1) return found.front();
  if (found.empty())
    return base::fail(base::errc::unavailable,
                      "there is no running `matchcloud serve` of this user's");
  std::string text = "more than one service is running; name one of these processes:";
  for (const auto each : found)
    text.append("\n  ").append(describe_service(each));
  return base::fail(base::errc::unavailable, std::move(text));
}

int reload(pid_t which) {
  const auto done =
      (which != 0 ? base::expected<pid_t>{which} : find_service()).and_then([](pid_t found) {
        return ask_to_reload(found, patience);
      });
  if (!done) {
    cli::say("matchcloud reload", done.error().detail);
    return failed;
  }
  if (done->is_refused) {
    cli::say("matchcloud reload", "refused, nothing has changed: " + done->text);
    return failed;
  }
  return cli::print("matchcloud reload", done->text) ? ok : failed;
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
