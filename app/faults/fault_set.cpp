#include "app/client/ops_plane_options.hpp"
#include "app/faults/fault_commands.hpp"
#include "app/faults/fault_listing.hpp"
#include "app/faults/rule_options.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"

#include <memory>

namespace matchcloud::app {

namespace {

using enum cli::exit_code;

constexpr const char* fault_set_name = "matchcloud fault set";

struct set_options {
  ops_plane_options ops;
  rule_options rule;
};

int set(const placed_rule& what, const ops_plane& at) {
  const cli::interrupt until;
  const auto name = std::string{facts_of(what.point).name};
  const auto rule = rule_json(what.rule);
  const auto done =
      ask_ops_plane(at, {"PUT", "/faults/" + name, rule}, until).and_then(read_fault_point);
  if (!done) {
    cli::say(fault_set_name, done.error().detail);
    return failed;
  }
  const auto heals =
      done->heals_in_s ? ", heals in " + std::to_string(*done->heals_in_s) + " s" : "";
  if (!done->note.empty()) cli::say(fault_set_name, done->note);
  return cli::print(fault_set_name, name + ": " + describe_rule(rule) + heals + "\n") ? ok : failed;
}

constexpr const char* fault_set_help =
    "Sets the rule at a fault point, replacing any earlier one. The fault heals by itself after "
    "--lasts, or when `matchcloud fault clear` ends it. A pass is hit if it matches all given "
    "options. docs/faults.md describes points, kinds and rules.\n\n";

constexpr const char* fault_set_examples =
    "\n\nExample: matchcloud fault set store.commit delay --delay 5ms..20ms --lasts 5m\n"
    "Example: matchcloud fault set read error --connections 0.1 --probability 0.01\n"
    "Example: matchcloud fault set --preset slow-disk";

} // namespace

void add_fault_set_command(CLI::App& fault, int& code) {
  auto* command = fault.add_subcommand("set", "Inject a fault into a running service.");
  cli::set_help(*command, std::string{fault_set_help} + ops_plane_help + fault_set_examples);
  const auto options = std::make_shared<set_options>();
  add_rule_options(*command, options->rule);
  add_ops_plane_options(*command, options->ops);
  command->callback([options, &code] {
    const auto& rule = options->rule;
    if (rule.preset.empty() && rule.kind.empty())
      throw CLI::ValidationError{"Give POINT and KIND, or --preset"};
    const auto wanted = rule_of(rule);
    if (!wanted) throw CLI::ValidationError{wanted.error().detail};
    code = set(*wanted, ops_plane_of(options->ops));
  });
}

} // namespace matchcloud::app
