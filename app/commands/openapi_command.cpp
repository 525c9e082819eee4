#include "app/commands/commands.hpp"
#include "app/config/rules_file.hpp"
#include "cli/print.hpp"

#include "http/reference/openapi.hpp"

#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct openapi_options {
  std::string plane = "data";
  /// Empty if none was given.
  std::string rules_file;
};

int print_document(const openapi_options& options) {
  const base::expected<payload_rules> rules =
      options.rules_file.empty() ? default_payload_rules() : read_rules_file(options.rules_file);
  if (!rules) {
    cli::say("matchcloud openapi", rules.error().detail);
    return usage;
  }
  const auto of = options.plane == "ops" ? http::plane::ops : http::plane::data;
  const auto text = http::openapi(of, {rules->rules, {}}) + "\n";
  return cli::print("matchcloud openapi", text) ? ok : failed;
}

} // namespace

void add_openapi_command(CLI::App& program, int& code) {
  auto* command =
      program.add_subcommand("openapi", "Print the operations as an OpenAPI 3.1 document.");
  set_help(*command,
           "Prints all requests and responses of the service as JSON. It is made from the tables "
           "that the service uses to\nroute, validate and refuse requests. Each plane of a running "
           "service returns its document at\nGET /openapi.json.\n\n"
           "FILE of --rules is the file of `matchcloud validate --rules`: its limits apply to the "
           "payloads' schemas.\n\n"
           "Example: a typed client for JavaScript\n"
           "  matchcloud openapi > matchcloud.json && npx openapi-typescript matchcloud.json -o "
           "matchcloud.d.ts");
  const auto options = std::make_shared<openapi_options>();
  auto* plane = command->add_option("--plane", options->plane, "The plane to describe.");
  cli::set_choices(*plane, {"data", "ops"})->capture_default_str();
  command->add_option("--rules", options->rules_file, "A TOML file with the rules and limits.")
      ->check(named_file());
  command->callback([options, &code] { code = print_document(*options); });
}

} // namespace matchcloud::app
