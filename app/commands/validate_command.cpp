#include "app/commands/commands.hpp"
#include "app/commands/payload_options.hpp"
#include "app/reports/findings_report.hpp"
#include "app/reports/validated_file.hpp"
#include "cli/colours.hpp"
#include "cli/print.hpp"
#include "model/text/counts.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {

namespace {

/// Exit codes of this command; `usage` is also used for files that cannot be validated.
constexpr int has_findings = 1;
constexpr int has_unusable = usage;

struct validate_options {
  payload_options payload;
  std::string format = "text";
  std::string color = "auto";
  std::vector<std::string> files;
};

std::unique_ptr<findings_report> make_report(const validate_options& options) {
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
    region_names = region_names || file.names_regions;
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

bool print(const std::string& text) {
  return cli::print("matchcloud validate", text);
}

int validate(const validate_options& options) {
  const auto rules = rules_of(options.payload);
  if (!rules) {
    cli::say("matchcloud validate", rules.error().detail);
    return usage;
  }
  const auto report = make_report(options);
  totals all;
  if (!print(report->begin())) return has_unusable;
  for (const auto& file : options.files) {
    const auto judged = validate_file(file, options.payload.kind, *rules);
    all.add(judged);
    if (!print(report->add(judged))) return has_unusable;
  }
  if (!print(report->end())) return has_unusable;
  // The other formats are for programs, which need no summary.
  if (options.format != "text") return all.exit_code();
  if (all.region_names && !rules->names.regions)
    std::cerr << "note: region names are not checked; to check them, list them as regions in "
                 "[rules] of --rules FILE\n";
  std::cerr << summary(all) << "\n";
  return all.exit_code();
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

} // namespace

void add_validate_command(CLI::App& program, int& code) {
  const auto options = std::make_shared<validate_options>();
  auto* command =
      program.add_subcommand("validate", "Validate payloads in files, without a service.");
  command->footer(validate_help);
  add_payload_options(*command, options->payload, "The kind of body in the files.");
  auto* format = command->add_option("--format", options->format, "How findings are printed.");
  cli::set_choices(*format, {"text", "json", "sarif", "github"})->capture_default_str();
  auto* color = command->add_option("--color", options->color, "Whether text has colours.");
  cli::set_choices(*color, {"auto", "always", "never"})->capture_default_str();
  command->add_option("FILE", options->files, "The files; - is stdin.")->required();
  command->callback([options, &code] {
    if (std::ranges::count(options->files, "-") > 1)
      throw CLI::ValidationError{"- can be given only once, because stdin is read to its end"};
    code = validate(*options);
  });
}

} // namespace matchcloud::app
