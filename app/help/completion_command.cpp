#include "app/help/help_commands.hpp"
#include "cli/command_line.hpp"
#include "cli/completion.hpp"
#include "cli/print.hpp"

#include <memory>
#include <string>

namespace matchcloud::app {

void add_completion_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("completion", "Print a completion script for a shell.");
  cli::set_help(*command, "The script completes commands, flags, and the values of flags that have "
                          "only a few. The packages install it; otherwise load it in ~/.bashrc.\n\n"
                          "Example: source <(matchcloud completion bash)\n"
                          "Example: matchcloud completion bash > "
                          "~/.local/share/bash-completion/completions/matchcloud");
  const auto shell = std::make_shared<std::string>();
  auto* option = command->add_option("SHELL", *shell, "The shell: bash.")->required();
  cli::set_choices(*option, {"bash"});
  command->callback([&program, &code, shell] {
    const auto script = cli::bash_completion(program, "matchcloud completion " + *shell);
    code = cli::print("matchcloud completion", script) ? cli::ok : cli::failed;
  });
}

} // namespace matchcloud::app
