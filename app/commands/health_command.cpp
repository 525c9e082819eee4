#include "app/client/ca_file_option.hpp"
#include "app/client/health_check.hpp"
#include "app/commands/commands.hpp"
#include "cli/duration.hpp"
#include "cli/print.hpp"

#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

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

health_check check_of(const health_options& options) {
  auto check = options.url.empty() ? check_of_this_machine()
                                   : health_check{*model::parse_http_url(options.url),
                                                  authorities_of(options.ca_file)};
  check.limit =
      std::chrono::duration_cast<std::chrono::seconds>(*cli::parse_whole_duration(options.timeout));
  return check;
}

int report(const base::expected<int>& status) {
  if (status)
    return cli::print("matchcloud health", "ok, status " + std::to_string(*status) + "\n") ? ok
                                                                                           : failed;
  cli::say("matchcloud health", status.error().detail);
  return failed;
}

} // namespace

void add_health_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("health", "Check whether a service is ready.");
  set_help(*command,
           "Exits with 0 if GET URL returns a status from 200 to 299, else with 1 and a line that "
           "says why. The default path of URL is /readyz. Use it in health checks of containers: "
           "it needs neither curl nor a shell.\n\n"
           "Without URL it checks the service on this machine, at the ops plane that "
           "MATCHCLOUD_OPS_LISTEN names or else at http://127.0.0.1:8081, and accepts any "
           "certificate. With an https URL the server must show a certificate for its name or "
           "address from an authority that the system, or --ca-file, trusts.\n\n"
           "Example: matchcloud health\n"
           "Example: matchcloud health https://10.0.0.5:8444/healthz --ca-file tls/cert.pem "
           "--timeout 10s");
  const auto options = std::make_shared<health_options>();
  auto* url = command->add_option("URL", options->url, "The URL to check, http or https.")
                  ->check(CLI::Validator{check_health_url, ""});
  add_ca_file_option(*command, options->ca_file)->needs(url);
  command
      ->add_option("--timeout", options->timeout,
                   "How long to wait for the answer: a whole number of s, m or h, up to 1h.")
      ->check(CLI::Validator{check_timeout, ""})
      ->capture_default_str();
  command->callback([options, &code] { code = report(check_health(check_of(*options))); });
}

} // namespace matchcloud::app
