#include "app/commands.hpp"
#include "app/rules_file.hpp"

#include "model/json_schema.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::app {

namespace {

struct schema_options {
  std::string kind = "version";
  std::string rules;
};

model::payload_kind kind_of(std::string_view word) {
  if (word == "game") return model::payload_kind::game;
  if (word == "group") return model::payload_kind::group;
  return model::payload_kind::version;
}

int print_schema(const schema_options& options) {
  const auto rules = options.rules.empty() ? base::expected<payload_rules>{default_payload_rules()}
                                           : read_rules_file(options.rules);
  if (!rules) {
    std::cerr << "matchcloud schema: " << rules.error().detail << "\n";
    return usage;
  }
  std::cout << model::json_schema(kind_of(options.kind), rules->rules, rules->names) << std::endl;
  if (std::cout) return ok;
  std::cerr << "matchcloud schema: stdout cannot be written\n";
  return failed;
}

} // namespace

void add_schema_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("schema", "Print what validation allows as JSON Schema.");
  set_help(*command,
           "Prints the shape of a request body as JSON Schema 2020-12, made from the rules that "
           "validation applies.\nEditors complete, explain and check with it while you write; "
           "`description`s tell what JSON Schema cannot check.\n\n"
           "FILE of --rules is what `matchcloud validate --rules` reads: its limits and edition, "
           "tiers and regions\nare those of the schema.\n\n"
           "Example: matchcloud schema --kind version > version.schema.json\n\n"
           "YAML in editors with yaml-language-server: as the first line of the file\n"
           "  # yaml-language-server: $schema=version.schema.json\n"
           "JSON in VS Code: in .vscode/settings.json\n"
           "  \"json.schemas\": [{\"fileMatch\": [\"version.json\"], \"url\": "
           "\"./version.schema.json\"}]\n"
           "A file that holds a `config` alone: a schema of its own\n"
           "  {\"$ref\": \"version.schema.json#/properties/config\"}");
  const auto options = std::make_shared<schema_options>();
  command->add_option("--kind", options->kind, "version, game or group.")
      ->check(CLI::IsMember({"version", "game", "group"}))
      ->option_text("KIND")
      ->capture_default_str();
  command->add_option("--rules", options->rules, "A TOML file with the rules and limits.");
  command->callback([options, &code] { code = print_schema(*options); });
}

} // namespace matchcloud::app
