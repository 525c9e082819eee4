#include "app/client/ops_plane_options.hpp"
#include "app/commands/commands.hpp"
#include "app/doctor/health_checks.hpp"
#include "app/process/reload_request.hpp"
#include "app/process/spawn.hpp"
#include "app/reports/health_report.hpp"
#include "cli/duration.hpp"
#include "cli/terminal_text.hpp"
#include "model/text/unicode.hpp"
#include "store/local_author.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace matchcloud::app {

namespace {

// -- doctor -------------------------------------------------------------------

struct doctor_options {
  configuration_options configuration;
  bool json = false;
  bool write = false;
};

std::string diagnose(const doctor_options& options, command_run& in) {
  const bool colours = cli::wants_colours();
  std::vector<std::string> unknown;
  auto config = read_given(options.configuration, unknown).and_then(make_config);
  examined_service of{std::move(config), std::move(unknown)};
  of.may_write = options.write;
  const auto findings = examine(of);
  if (count_of(findings, finding_level::error) > 0) in.end_with(failed);
  return options.json ? health_json(findings) : health_text(findings, colours);
}

/// The checks, one line each.
std::string list_of_checks() {
  std::string text = "Checks:\n";
  for (const auto& check : health_checks())
    text.append("  ").append(check.name).append(": ").append(check.looks_at).append("\n");
  return text;
}

void add_doctor(CLI::App& command, doctor_options& options) {
  command.add_flag("--json", options.json,
                   "Print one JSON object: findings with check, level, message and advice; "
                   "errors, warnings and ok count them.");
  command.add_flag("--write", options.write,
                   "Also write, read and remove an object doctor/ID in the bucket, if any.");
  add_config_option(command, options.configuration);
  for (const auto& key : config_keys()) {
    add_key_option(command, options.configuration, key);
    command.get_option("--" + key.name)->group(""); // the help of serve has them
  }
}

std::string doctor_help() {
  return "Accepts all flags of serve, reads the same environment and --config, and "
         "checks what serve would find with them. It may run while a service is running, "
         "and changes nothing, unless --write lets it try to write to the bucket. Run "
         "it as the user of the service.\n\n" +
         list_of_checks() +
         "\nEach finding is ok, a warning or an error, and says what to do. Exits "
         "with 1 if any check finds an error.\n\n"
         "Example: matchcloud doctor --config /etc/matchcloud/matchcloud.toml";
}

// -- reload -------------------------------------------------------------------

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

struct reload_options {
  /// 0: the only service.
  pid_t which = 0;
};

pid_t find_service() {
  const auto found = serving_processes();
  if (found.size() == 1) return found.front();
  if (found.empty()) give_up("there is no running `matchcloud serve` of this user's");
  std::string text = "more than one service is running; name one of these processes:";
  for (const auto each : found)
    text.append("\n  ").append(describe_service(each));
  give_up(std::move(text));
}

std::string reload_service(const reload_options& options, command_run&) {
  const auto done = ask_to_reload(options.which != 0 ? options.which : find_service(), patience);
  if (done.is_refused) give_up("refused, nothing has changed: " + done.text);
  return done.text;
}

constexpr const char* reload_help =
    "The service reads the file of --config again, applies the keys that can be reloaded, "
    "and lists changed keys that need a restart. If the file has any error, it is refused "
    "with the reason and nothing changes. GET /v1/config on the ops plane returns the "
    "values in force. SIGHUP does the same and reports in the log.\n\n"
    "Example: matchcloud reload\n"
    "Example: systemctl reload matchcloud";

// -- health -------------------------------------------------------------------

constexpr std::chrono::hours longest_timeout{1};

struct health_options {
  /// Empty: this machine's service.
  std::string url;
  std::string ca_file;
  std::string timeout = "3s";
};

std::string check_health_url(const std::string& text) {
  const auto url = model::parse_http_url(text);
  return url ? "" : "\"" + text + "\" is not a URL to check: " + url.error().detail;
}

std::string check_timeout(const std::string& text) {
  const auto given = cli::parse_whole_duration(text);
  if (given && given->count() > 0 && *given <= longest_timeout) return {};
  return "\"" + text + "\" is not a time; use a whole number of s, m or h, from 1s to 1h";
}

std::string show_health(const health_options& options, command_run&) {
  auto service =
      options.url.empty()
          ? ops_plane_of_this_machine()
          : ops_plane{*model::parse_http_url(options.url), {}, authorities_of(options.ca_file)};
  const auto limit =
      std::chrono::duration_cast<std::chrono::seconds>(*cli::parse_whole_duration(options.timeout));
  return "ok, status " + std::to_string(check_health(std::move(service), limit)) + "\n";
}

void add_health(CLI::App& command, health_options& options) {
  auto* url = command.add_option("URL", options.url, "The URL to check, http or https.")
                  ->check(CLI::Validator{check_health_url, ""});
  add_ca_file_option(command, options.ca_file)->needs(url);
  command
      .add_option("--timeout", options.timeout,
                  "How long to wait for the answer: a whole number of s, m or h, up to 1h.")
      ->check(CLI::Validator{check_timeout, ""})
      ->capture_default_str();
}

constexpr const char* health_help =
    "Exits with 0 if GET URL returns a status from 200 to 299, else with 1 and a line that "
    "says why. The default path of URL is /readyz. Use it in health checks of containers: "
    "it needs neither curl nor a shell.\n\n"
    "Without URL it checks the service on this machine, at the ops plane that "
    "MATCHCLOUD_OPS_LISTEN names or else at http://127.0.0.1:8081, and accepts any "
    "certificate. With an https URL the server must show a certificate for its name or "
    "address from an authority that the system, or --ca-file, trusts.\n\n"
    "Example: matchcloud health\n"
    "Example: matchcloud health https://10.0.0.5:8444/healthz --ca-file tls/cert.pem "
    "--timeout 10s";

} // namespace

cli::commands doctor_command() {
  return {command_with<doctor_options>(
      "doctor", "Check for problems that would keep serve from starting or from serving well.",
      doctor_help(), add_doctor, diagnose)};
}

cli::commands reload_command() {
  return {command_with<reload_options>(
      "reload", "Make a running service reload its configuration without a restart.", reload_help,
      [](CLI::App& command, reload_options& options) {
        command
            .add_option("PID", options.which,
                        "The process id; default: the service on this machine.")
            ->check(CLI::Range(1, 4'194'304));
      },
      reload_service)};
}

cli::commands health_command() {
  return {command_with<health_options>("health", "Check whether a service is ready.", health_help,
                                       add_health, show_health)};
}

} // namespace matchcloud::app
