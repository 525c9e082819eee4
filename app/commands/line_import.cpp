#include "app/commands/line_import.hpp"

#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "cli/print.hpp"

#include <iostream>
#include <memory>

namespace matchcloud::app {

namespace {

void report(const line_import& kind, const line_import_options& options, const std::string& text) {
  cli::say("matchcloud import " + std::string{kind.name}, options.file + ": " + text);
}

int run(const line_import& kind, const line_import_options& options) {
  const auto done = kind.run(options);
  if (!done) {
    report(kind, options, done.error().detail);
    return failed;
  }
  const auto left_out = done->left_out.count();
  if (left_out > 0)
    report(kind, options,
           std::to_string(left_out) + " lines were left out:\n" + done->left_out.text());
  std::cout << done->summary << "; " << left_out << " lines left out" << std::endl;
  // Without --partial, these are lines that passed the check and were refused when written.
  return left_out > 0 && !options.partial ? failed : ok;
}

} // namespace

base::expected<void> may_write(const line_findings& findings, const line_import_options& options) {
  if (findings.empty() || options.partial) return {};
  return base::fail(base::errc::import_invalid,
                    std::to_string(findings.count()) +
                        " lines cannot be imported, nothing was written:\n" + findings.text());
}

void add_line_import(CLI::App& import, const line_import& kind, int& code) {
  auto* command = import.add_subcommand(kind.name, kind.purpose);
  set_help(*command, kind.help +
                         "\n\nWith --partial the exit code is 0 even if lines were left out; "
                         "stderr lists and counts them.\n\n"
                         "Example: matchcloud import " +
                         kind.name + " --data-dir var " + kind.name + ".jsonl");
  const auto options = std::make_shared<line_import_options>();
  add_store_options(*command, options->store);
  if (kind.has_objects) add_objects_options(*command, options->store);
  command->add_flag("--partial", options->partial,
                    "Import the valid lines, and leave out and list the others.");
  command
      ->add_option("--ignore-member", options->ignored_members,
                   "Skip members of this name in all lines, whatever their values, such as date or "
                   "@timestamp, which log shippers add; repeatable.")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("FILE", options->file, "JSON Lines; - is stdin.")->required();
  command->callback([kind, options, &code] {
    if (const auto fine = kind.check_ignored(options->ignored_members); !fine)
      throw CLI::ValidationError{"--ignore-member", fine.error().detail};
    code = run(kind, *options);
  });
}

} // namespace matchcloud::app
