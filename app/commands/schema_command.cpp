#include "app/commands/commands.hpp"
#include "app/commands/payload_options.hpp"
#include "cli/print.hpp"

#include "model/validation/json_schema.hpp"

#include <memory>

namespace matchcloud::app {

namespace {

int print_schema(const payload_options& options) {
  const auto rules = rules_of(options);
  if (!rules) {
    cli::say("matchcloud schema", rules.error().detail);
    return usage;
  }
  const auto text = model::json_schema(options.kind, rules->rules, rules->names) + "\n";
  return cli::print("matchcloud schema", text) ? ok : failed;
}

} // namespace

void add_schema_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("schema", "Print what validation allows, as JSON Schema.");
  set_help(*command,
           "Prints the shape of a request body as JSON Schema 2020-12, made from the rules that "
           "validation applies.\nEditors use it to complete, explain and check while you type; "
           "`description`s and the `$comment` say what JSON Schema cannot check.\n\n"
           "FILE of --rules is the file of `matchcloud validate --rules`: its limits, edition, "
           "tiers and regions\napply to the schema.\n\n"
           "Example: matchcloud schema --kind version > version.schema.json\n\n"
           "YAML in editors with yaml-language-server: as the first line of the file\n"
           "  # yaml-language-server: $schema=version.schema.json\n"
           "JSON in VS Code: in .vscode/settings.json\n"
           "  \"json.schemas\": [{\"fileMatch\": [\"version.json\"], \"url\": "
           "\"./version.schema.json\"}]\n"
           "A file with only a `config`: a schema of its own\n"
           "  {\"$ref\": \"version.schema.json#/properties/config\"}");
  const auto options = std::make_shared<payload_options>();
  add_payload_options(*command, *options, "The kind of body.");
  command->callback([options, &code] { code = print_schema(*options); });
}

} // namespace matchcloud::app
