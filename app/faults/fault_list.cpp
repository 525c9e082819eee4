#include "app/client/ops_plane_options.hpp"
#include "app/faults/fault_commands.hpp"
#include "app/faults/fault_listing.hpp"
#include "app/reports/text_table.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"

#include <iostream>
#include <memory>

namespace matchcloud::app {

namespace {

using enum cli::exit_code;

constexpr const char* fault_list_name = "matchcloud fault list";

struct list_options {
  ops_plane_options ops;
  listing_choice choice;
  bool json = false;
};

int list(const list_options& options, const ops_plane& at) {
  const cli::interrupt until;
  auto all = ask_ops_plane(at, {"GET", "/faults", {}}, until).and_then(read_fault_listing);
  if (!all) {
    cli::say(fault_list_name, all.error().detail);
    return failed;
  }
  const auto shown = chosen_of(*std::move(all), options.choice);
  if (options.json) return cli::print(fault_list_name, json_of(shown)) ? ok : failed;
  const auto text = text_of(shown, terminal_width());
  if (text.empty())
    std::cerr << (options.choice.search.empty()
                      ? "No faults are injected. To see all points and presets, use --all.\n"
                      : "No point or preset matches. To see all, use --all.\n");
  return cli::print(fault_list_name, text) ? ok : failed;
}

constexpr const char* fault_list_help =
    "Prints the injected faults, how many passes through their points they hit, and when they "
    "heal. --all and --search also print presets and points without a fault.\n\n";

constexpr const char* fault_list_examples = "\n\nExample: matchcloud fault list\n"
                                            "Example: matchcloud fault list --search slow";

} // namespace

void add_fault_list_command(CLI::App& fault, int& code) {
  auto* command = fault.add_subcommand("list", "Show injected faults, points and presets.");
  cli::set_help(*command, std::string{fault_list_help} + ops_plane_help + fault_list_examples);
  const auto options = std::make_shared<list_options>();
  command->add_flag("--all", options->choice.all, "List all points by group, and all presets.");
  command
      ->add_option("--search", options->choice.search,
                   "List points and presets with this text in their name, group or effect.")
      ->check(cli::not_empty());
  command->add_flag("--json", options->json, "Print JSON instead of tables.");
  add_ops_plane_options(*command, options->ops);
  command->callback([options, &code] { code = list(*options, ops_plane_of(options->ops)); });
}

} // namespace matchcloud::app
