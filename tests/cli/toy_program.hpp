#pragma once

#include "cli/command.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace matchcloud::cli {

/// A small program with all that command lines here have.
struct toy_program {
  toy_program() {
    program.require_subcommand(1);
    program.footer(exit_code_help);
    add_commands(program, code,
                 {{"store", "Work on a store.", "Example: toy-box store copy a b"},
                  {"store copy", "Copy a store: `toy`, 1\\2.",
                   "Copies all.\n.It is 'quick'.\n\nLines:\n  a = 1\n  .b = 2\n\n"
                   "Example: toy-box store copy ~/a b\n"
                   "Example, in a loop: toy-box store copy --count 2 a b",
                   [this](CLI::App& copy) { return bound(copy); }}});
    auto* stop = program.add_subcommand("stop", "Stop.");
    stop->add_option("--name", output, "Whose.")->required();
    program.add_subcommand("hidden", "Hidden.")->group("");
  }

  std::function<std::string(command_run&)> bound(CLI::App& copy) {
    copy.add_option("FROM", from, "The source.")->required();
    set_choices(*copy.add_option("KIND", kind, "What."), {"games", "tiers"});
    copy.add_option("-o,--output", output, "The target.")->envname("TOY_OUTPUT");
    copy.add_option("--count", count, "How many.")->check(CLI::Range(1, 9))->capture_default_str();
    copy.add_flag("--force", force, "Even so.");
    copy.add_option("--secret", output)->group("");
    add_format_option(copy, format);
    return [](command_run&) { return std::string{}; };
  }

  std::string from;
  std::string kind;
  std::string output;
  std::string format = "table";
  int code = ok;
  int count = 3;
  bool force = false;
  CLI::App program{"toy-box: plays.\n\nWith what there is.", "toy-box"};
};

} // namespace matchcloud::cli
