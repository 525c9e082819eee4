#include "app/commands/commands.hpp"
#include "app/commands/configuration_options.hpp"
#include "app/doctor/health_checks.hpp"
#include "app/reports/health_report.hpp"
#include "cli/colours.hpp"
#include "cli/print.hpp"

#include <memory>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

struct doctor_options {
  configuration_options configuration;
  bool json = false;
  bool write = false;
};

int run(const doctor_options& options) {
  const bool colours = cli::wants_colours();
  std::vector<std::string> unknown;
  auto config = read_configuration(options.configuration, unknown);
  examined_service of{std::move(config), std::move(unknown)};
  of.may_write = options.write;
  const auto findings = examine(of);
  const auto text = options.json ? health_json(findings) : health_text(findings, colours);
  if (!cli::print("matchcloud doctor", text)) return failed;
  return count_of(findings, finding_level::error) == 0 ? ok : failed;
}

/// The checks, one line each.
std::string list_of_checks() {
  std::string text = "Checks:\n";
  for (const auto& check : health_checks())
    text.append("  ").append(check.name).append(": ").append(check.looks_at).append("\n");
  return text;
}

} // namespace

void add_doctor_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand(
      "doctor", "Check for problems that would keep serve from starting or from serving well.");
  set_help(*command,
           "Accepts all flags of serve, reads the same environment and --config, and "
           "checks what serve would find with them. It may run while a service is running, "
           "and changes nothing, unless --write lets it try to write to the bucket. Run "
           "it as the user of the service.\n\n" +
               list_of_checks() +
               "\nEach finding is ok, a warning or an error, and says what to do. Exits "
               "with 1 if any check finds an error.\n\n"
               "Example: matchcloud doctor --config /etc/matchcloud/matchcloud.toml");
  const auto options = std::make_shared<doctor_options>();
  command->add_flag("--json", options->json,
                    "Print one JSON object: findings with check, level, message and advice; "
                    "errors, warnings and ok count them.");
  command->add_flag("--write", options->write,
                    "Also write, read and remove an object doctor/ID in the bucket, if any.");
  add_config_option(*command, options->configuration);
  for (const auto& key : config_keys()) {
    add_key_option(*command, options->configuration, key);
    command->get_option("--" + key.name)->group(""); // the help of serve has them
  }
  command->callback([options, &code] { code = run(*options); });
}

} // namespace matchcloud::app
