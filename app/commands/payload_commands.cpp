#include "app/commands/commands.hpp"
#include "app/config/rules_file.hpp"
#include "app/reports/findings_report.hpp"
#include "app/reports/validated_file.hpp"
#include "cli/print.hpp"
#include "cli/terminal_text.hpp"
#include "http/reference/openapi.hpp"
#include "model/text/counts.hpp"
#include "model/validation/json_schema.hpp"
#include "model/validation/schema.hpp"

#include <algorithm>
#include <iostream>

namespace matchcloud::app {

namespace {

/// Exit codes of `validate`; `usage` is also used for files that cannot be validated.
constexpr int has_findings = 1;
constexpr int has_unusable = usage;

struct payload_options {
  model::payload_kind kind = model::payload_kind::version;
  /// Empty if none was given.
  std::string rules_file;
  std::string format = "text";
  std::string color = "auto";
  std::string plane = "data";
  std::vector<std::string> files;
};

/// The rules of the given file, or of a service without configuration.
payload_rules rules_of(const payload_options& options) {
  return options.rules_file.empty() ? default_payload_rules()
                                    : value_of(read_rules_file(options.rules_file));
}

void add_rules(CLI::App& command, payload_options& options) {
  command.add_option("--rules", options.rules_file, "A TOML file with the rules and limits.")
      ->check(named_file());
}

void add_kind_of_payload(CLI::App& command, payload_options& options, const char* what) {
  const auto& kinds = model::payload_kind_names;
  const std::vector<std::string> names{kinds.begin(), kinds.end()};
  const auto set_kind = [&options](const std::string& name) {
    options.kind = model::parse_payload_kind(name).value();
  };
  auto* kind = command.add_option_function<std::string>("--kind", set_kind, what);
  cli::set_choices(*kind, names)->default_str(names.front());
  add_rules(command, options);
}

// -- validate -----------------------------------------------------------------

std::unique_ptr<findings_report> make_report(const payload_options& options) {
  if (options.format == "json") return make_json_report();
  if (options.format == "sarif") return make_sarif_report();
  if (options.format == "github") return make_github_report();
  return make_text_report(cli::wants_colours(options.color));
}

/// Sums over all files.
struct totals {
  std::size_t files = 0;
  std::size_t files_with_findings = 0;
  std::size_t findings = 0;
  std::size_t unusable = 0;
  bool region_names = false;

  void add(const validated_file& file) {
    ++files;
    files_with_findings += file.findings.empty() ? 0 : 1;
    findings += file.findings.size();
    unusable += file.error ? 1 : 0;
    region_names =
        region_names || (!file.error && file.text.find(R"("regions")") != file.text.npos);
  }

  int exit_code() const noexcept {
    return unusable > 0 ? has_unusable : findings > 0 ? has_findings : ok;
  }
};

/// A summary such as `3 findings in 1 of 2 files`.
std::string summary(const totals& all) {
  std::string text;
  if (all.findings == 0)
    text = model::counted(all.files, "file") + (all.unusable < all.files ? ", no findings" : "");
  else if (all.files == 1)
    text = model::counted(all.findings, "finding") + " in 1 file";
  else
    text = model::counted(all.findings, "finding") + " in " +
           std::to_string(all.files_with_findings) + " of " + model::counted(all.files, "file");
  if (all.unusable > 0) text += ", " + std::to_string(all.unusable) + " unusable";
  return text;
}

/// Exit code 1 is for findings.
void print_report(const std::string& text) {
  if (const auto done = cli::print(text); !done) refuse(done.error().detail);
}

std::string validate(const payload_options& options, command_run& in) {
  if (std::ranges::count(options.files, "-") > 1)
    throw CLI::ValidationError{"- can be given only once, because stdin is read to its end"};
  const auto rules = rules_of(options);
  const auto report = make_report(options);
  totals all;
  print_report(report->begin());
  for (const auto& file : options.files) {
    const auto judged = validate_file(file, options.kind, rules);
    all.add(judged);
    print_report(report->add(judged));
  }
  print_report(report->end());
  // The other formats are for programs, which need no summary.
  const bool is_for_people = options.format == "text";
  if (is_for_people && all.region_names && !rules.names.regions)
    std::cerr << "note: region names are not checked; to check them, list them as regions in "
                 "[rules] of --rules FILE\n";
  in.end_with(all.exit_code(), is_for_people ? summary(all) : "");
  return {};
}

void add_validate(CLI::App& command, payload_options& options) {
  add_kind_of_payload(command, options, "The kind of body in the files.");
  auto* format = command.add_option("--format", options.format, "How findings are printed.");
  cli::set_choices(*format, {"text", "json", "sarif", "github"})->capture_default_str();
  auto* color = command.add_option("--color", options.color, "Whether text has colours.");
  cli::set_choices(*color, {"auto", "always", "never"})->capture_default_str();
  command.add_option("FILE", options.files, "The files; - is stdin.")->required();
}

constexpr const char* validate_help =
    "Validates each FILE (- is stdin) as a service validates a request body: all findings at once, "
    "each with its place. A file with only the `config` of a version is recognised. A file that "
    "cannot be opened, is not valid JSON, or is larger than the service accepts, is unusable; the "
    "others are still validated.\n\n"
    "FILE of --rules is a file of `matchcloud serve --config`: its [rules], [limits] and "
    "body-limit-bytes apply. Its [rules] may also have tiers and regions, which a service reads "
    "from its catalog; without them, the default tiers apply and regions are not checked. "
    "Environment and catalog are ignored, so the same files always give the same findings.\n\n"
    "Findings are printed on stdout; the text format counts them on stderr. Text has colours on a "
    "terminal, unless NO_COLOR is set.\n\n"
    "Example: matchcloud validate version.json\n"
    "Example: jq .config version.json | matchcloud validate --rules service.toml -\n"
    "Example, a step of GitHub Actions: matchcloud validate --format github --rules service.toml "
    "games/*/version.json\n"
    "Example: matchcloud validate --format json *.json | jq -r '.files[].errors[].code' | sort | "
    "uniq -c\n\n"
    "Exit codes: 0 no findings, 1 findings, 2 a file is unusable, or the command line or the rules "
    "are wrong.";

// -- schema and openapi -------------------------------------------------------

std::string print_schema(const payload_options& options, command_run&) {
  const auto rules = rules_of(options);
  return model::json_schema(options.kind, rules.rules, rules.names) + "\n";
}

std::string print_openapi(const payload_options& options, command_run&) {
  const auto of = options.plane == "ops" ? http::plane::ops : http::plane::data;
  return http::openapi(of, {rules_of(options).rules, {}}) + "\n";
}

constexpr const char* schema_help =
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
    "  {\"$ref\": \"version.schema.json#/properties/config\"}";

constexpr const char* openapi_help =
    "Prints all requests and responses of the service as JSON. It is made from the tables "
    "that the service uses to\nroute, validate and refuse requests. Each plane of a running "
    "service returns its document at\nGET /openapi.json.\n\n"
    "FILE of --rules is the file of `matchcloud validate --rules`: its limits apply to the "
    "payloads' schemas.\n\n"
    "Example: a typed client for JavaScript\n"
    "  matchcloud openapi > matchcloud.json && npx openapi-typescript matchcloud.json -o "
    "matchcloud.d.ts";

} // namespace

cli::commands validate_command() {
  return {command_with<payload_options>("validate",
                                        "Validate payloads in files, without a service.",
                                        validate_help, add_validate, validate)};
}

cli::commands schema_command() {
  return {command_with<payload_options>(
      "schema", "Print what validation allows, as JSON Schema.", schema_help,
      [](CLI::App& command, payload_options& options) {
        add_kind_of_payload(command, options, "The kind of body.");
      },
      print_schema)};
}

cli::commands openapi_command() {
  return {command_with<payload_options>(
      "openapi", "Print the operations as an OpenAPI 3.1 document.", openapi_help,
      [](CLI::App& command, payload_options& options) {
        auto* plane = command.add_option("--plane", options.plane, "The plane to describe.");
        cli::set_choices(*plane, {"data", "ops"})->capture_default_str();
        add_rules(command, options);
      },
      print_openapi)};
}

} // namespace matchcloud::app
