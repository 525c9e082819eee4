#include "actors/fault_control/fault_rule.hpp"
#include "app/client/ops_plane_options.hpp"
#include "app/commands/commands.hpp"
#include "app/faults/fault_listing.hpp"
#include "app/faults/rule_options.hpp"
#include "app/reports/text_table.hpp"
#include "model/json/members.hpp"

#include <iostream>

namespace matchcloud::app {

namespace {

struct fault_options {
  ops_plane_options ops;
  rule_options rule;
  /// Of `clear`; empty: all.
  std::string point;
  listing_choice choice;
  bool json = false;
};

std::string set_fault(const fault_options& options, command_run& in) {
  const auto wanted = rule_of(options.rule);
  const auto at = ops_plane_of(options.ops);
  const auto name = std::string{facts_of(wanted.point).name};
  const auto rule = actors::fault_rule_json(wanted.rule);
  const auto answer = value_of(ask_ops_plane(at, {"PUT", "/faults/" + name, rule}, in.until()));
  const auto done = value_of(read_fault_point(answer.body));
  if (!done.note.empty()) in.say(done.note);
  const auto heals = done.heals_in_s ? ", heals in " + std::to_string(*done.heals_in_s) + " s" : "";
  return name + ": " + describe_rule(rule) + heals + "\n";
}

std::string clear_faults(const fault_options& options, command_run& in) {
  if (!options.point.empty() && !base::find_fault_point(options.point))
    throw CLI::ValidationError{actors::no_such_fault_point(options.point).detail};
  const auto target = options.point.empty() ? "/faults" : "/faults/" + options.point;
  const auto at = ops_plane_of(options.ops);
  value_of(ask_ops_plane(at, {"DELETE", target, {}}, in.until()));
  return {};
}

std::string list_faults(const fault_options& options, command_run& in) {
  const auto at = ops_plane_of(options.ops);
  const auto answer = value_of(ask_ops_plane(at, {"GET", "/faults", {}}, in.until()));
  const auto shown = value_of(read_fault_listing(answer.body, options.choice));
  if (options.json) return model::as_json(shown) + "\n";
  auto text = text_of(shown, terminal_width());
  if (text.empty())
    std::cerr << (options.choice.search.empty()
                      ? "No faults are injected. To see all points and presets, use --all.\n"
                      : "No point or preset matches. To see all, use --all.\n");
  return text;
}

void add_listing(CLI::App& command, fault_options& options) {
  command.add_flag("--all", options.choice.all, "List all points by group, and all presets.");
  command
      .add_option("--search", options.choice.search,
                  "List points and presets with this text in their name, group or effect.")
      ->check(not_empty());
  command.add_flag("--json", options.json, "Print JSON instead of tables.");
  add_ops_plane_options(command, options.ops);
}

std::string fault_help_of(const char* what, const char* examples) {
  return std::string{what} + "\n\n" + ops_plane_help + "\n\n" + examples;
}

constexpr const char* fault_help =
    "The service must have been started with --enable-fault-injection. docs/faults.md describes "
    "the faults.\n\nExample: matchcloud fault set --preset slow-disk --lasts 60s\n"
    "Example: matchcloud fault run plans/slow-store.toml";

constexpr const char* fault_set_help =
    "Sets the rule at a fault point, replacing any earlier one. The fault heals by itself after "
    "--lasts, or when `matchcloud fault clear` ends it. A pass is hit if it matches all given "
    "options. docs/faults.md describes points, kinds and rules.";

constexpr const char* fault_set_examples =
    "Example: matchcloud fault set store.commit delay --delay 5ms..20ms --lasts 5m\n"
    "Example: matchcloud fault set read error --connections 0.1 --probability 0.01\n"
    "Example: matchcloud fault set --preset slow-disk";

} // namespace

cli::commands fault_commands() {
  return {
      {"fault", "Make a running service fail on purpose, and check that it copes.", fault_help},
      command_with<fault_options>(
          "fault set", "Inject a fault into a running service.",
          fault_help_of(fault_set_help, fault_set_examples),
          [](CLI::App& command, fault_options& options) {
            add_rule_options(command, options.rule);
            add_ops_plane_options(command, options.ops);
          },
          set_fault),
      command_with<fault_options>(
          "fault clear", "End faults of a running service.",
          fault_help_of("Ends the fault at POINT, or all faults. Delayed and stalled operations "
                        "continue at once.",
                        "Example: matchcloud fault clear\n"
                        "Example: matchcloud fault clear store.commit"),
          [](CLI::App& command, fault_options& options) {
            command.add_option("POINT", options.point, "The fault point; default: all.");
            add_ops_plane_options(command, options.ops);
          },
          clear_faults),
      command_with<fault_options>(
          "fault list", "Show injected faults, points and presets.",
          fault_help_of("Prints the injected faults, how many passes through their points they "
                        "hit, and when they heal. --all and --search also print presets and points "
                        "without a fault.",
                        "Example: matchcloud fault list\n"
                        "Example: matchcloud fault list --search slow"),
          add_listing, list_faults)};
}

} // namespace matchcloud::app
