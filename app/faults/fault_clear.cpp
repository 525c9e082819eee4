#include "actors/fault_control/fault_rule.hpp"
#include "app/client/ops_plane_options.hpp"
#include "app/faults/fault_commands.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"

#include <memory>

namespace matchcloud::app {

namespace {

using enum cli::exit_code;

struct clear_options {
  ops_plane_options ops;
  /// Empty: all.
  std::string point;
};

int clear(const std::string& point, const ops_plane& at) {
  const cli::interrupt until;
  const auto target = point.empty() ? "/faults" : "/faults/" + point;
  const auto done = ask_ops_plane(at, {"DELETE", target, {}}, until);
  if (done) return ok;
  cli::say("matchcloud fault clear", done.error().detail);
  return failed;
}

constexpr const char* fault_clear_help =
    "Ends the fault at POINT, or all faults. Delayed and stalled operations continue at once.\n\n";

constexpr const char* fault_clear_examples = "\n\nExample: matchcloud fault clear\n"
                                             "Example: matchcloud fault clear store.commit";

} // namespace

void add_fault_clear_command(CLI::App& fault, int& code) {
  auto* command = fault.add_subcommand("clear", "End faults of a running service.");
  cli::set_help(*command, std::string{fault_clear_help} + ops_plane_help + fault_clear_examples);
  const auto options = std::make_shared<clear_options>();
  command->add_option("POINT", options->point, "The fault point; default: all.");
  add_ops_plane_options(*command, options->ops);
  command->callback([options, &code] {
    if (!options->point.empty() && !base::find_fault_point(options->point))
      throw CLI::ValidationError{actors::no_such_fault_point(options->point).detail};
    code = clear(options->point, ops_plane_of(options->ops));
  });
}

} // namespace matchcloud::app
