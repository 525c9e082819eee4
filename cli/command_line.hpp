#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace matchcloud::cli {

/// Exit codes of every command.
enum exit_code : int {
  /// The command succeeded.
  ok = 0,
  /// The command could not do what was requested; stderr says why.
  failed = 1,
  /// The command line or the configuration is wrong; stderr says what is allowed.
  usage = 2,
};

/// The last line of every command's help.
inline constexpr const char* exit_code_help =
    "Exit codes: 0 done, 1 failed (stderr says why), 2 wrong command line or configuration.";

/// Refuses an empty file name, as from an unset variable in a script. Otherwise the command would
/// silently read nothing.
inline CLI::Validator named_file() {
  return {[](const std::string& name) {
            return name.empty() ? std::string{"the file's name is empty"} : std::string{};
          },
          "FILE"};
}

/// Refuses an empty value, as from an unset variable in a script, which would count as missing.
inline CLI::Validator not_empty() {
  return {[](const std::string& value) {
            return value.empty() ? std::string{"it must not be empty"} : std::string{};
          },
          ""};
}

/// A type name that shows the allowed values: `{table,json}`.
inline std::string choices_text(const std::vector<std::string>& names) {
  return "{" + CLI::detail::join(names, ",") + "}";
}

/// Accepts one of `names`. Help, completion and manual pages show them.
inline CLI::Option* set_choices(CLI::Option& option, const std::vector<std::string>& names) {
  return option.type_name(choices_text(names))->check(CLI::IsMember(names).description(""));
}

/// Adds `--format`, table or json; `format` has the default and must outlive the parsing.
inline void add_format_option(CLI::App& command, std::string& format,
                              const std::string& help = "table, or json.") {
  auto* option = command.add_option("--format", format, help)->capture_default_str();
  set_choices(*option, {"table", "json"});
}

} // namespace matchcloud::cli
