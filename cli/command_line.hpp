#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::cli {

/// Exit codes of every command.
enum exit_code : int {
  /// Done.
  ok = 0,
  /// What was asked for could not be done; stderr says why.
  failed = 1,
  /// The command line or the configuration is wrong; stderr says what is allowed.
  usage = 2,
};

/// Ends the help of every command.
inline constexpr const char* exit_code_help =
    "Exit codes: 0 done, 1 failed (stderr says why), 2 wrong command line or configuration.";

/// Puts what a command does, with an example, below its options.
inline void set_help(CLI::App& command, const std::string& text) {
  command.footer(text + "\n\n" + exit_code_help);
}

/// Refuses the name of a file that a variable of a script lacks: nothing would be read, silently.
inline CLI::Validator named_file() {
  return {[](const std::string& name) {
            return name.empty() ? std::string{"the file's name is empty"} : std::string{};
          },
          "FILE"};
}

} // namespace matchcloud::cli
