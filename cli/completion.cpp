#include "cli/completion.hpp"

#include "cli/parsing.hpp"

#include <algorithm>
#include <vector>

namespace matchcloud::cli {

namespace {

/// Bash splits words at = and :, so a value may follow a word that is only a =.
constexpr const char* begin =
    R"(  local current=${COMP_WORDS[COMP_CWORD]}
  local before=${COMP_WORDS[COMP_CWORD-1]}
  local word flags= words= value= files=
  COMPREPLY=()
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
)";

/// `words` are the possible completions; `files` adds file names. `value` says that a flag with a
/// value is before the cursor.
constexpr const char* end = R"(  esac
  [[ -z $value && $current == -* ]] && words=$flags files=
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  # Without a match, readline completes names of files.
  [[ $files ]] && compopt -o default 2>/dev/null
  return 0
}
)";

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

using CLI::detail::join;

std::string line_of_case(int depth, const std::vector<std::string>& patterns,
                         const std::string& what) {
  return std::string(static_cast<std::size_t>(depth), ' ') + join(patterns, " | ") + ") " + what +
         " ;;\n";
}

/// The completions after flags that take a value; flags with the same completions share a line.
std::string values_of(const CLI::App& command) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const auto* flag : flags_of(command)) {
    if (!takes_value(*flag)) continue;
    const auto choices = choices_of(*flag);
    const std::string files = choices.empty() && may_be_file(*flag) ? "yes" : "";
    const auto what = "value=yes words=" + quoted(join(choices, " ")) + " files=" + files;
    auto same = std::ranges::find(lines, what, [](const auto& each) { return each.first; });
    if (same == lines.end()) same = lines.insert(same, {what, {}});
    for (auto& name : names_of(*flag))
      same->second.push_back(std::move(name));
  }
  if (lines.empty()) return {};
  std::string text = "    case $before in\n";
  for (const auto& [what, flags] : lines)
    text += line_of_case(4, flags, what);
  return text + "    esac\n";
}

/// The argument of `help`.
constexpr const char* command_argument = "COMMAND";

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* each : subcommands_of(command))
    names.push_back(each->get_name());
  return names;
}

/// The completions of a command if no flag is before the cursor.
std::string words_of(const CLI::App& program, const CLI::App& command) {
  auto words = names_of_commands(command);
  bool takes_file = false;
  for (const auto* each : arguments_of(command)) {
    const bool is_command = each->get_name(true, false) == command_argument;
    const auto choices = is_command ? names_of_commands(program) : choices_of(*each);
    words.insert(words.end(), choices.begin(), choices.end());
    takes_file = takes_file || (choices.empty() && may_be_file(*each));
  }
  return "    words=" + quoted(join(words, " ")) + (takes_file ? " files=yes" : "") + "\n";
}

std::string section_of(const CLI::App& program, const named_command& each) {
  std::vector<std::string> flags;
  for (const auto* flag : flags_of(*each.command))
    for (auto& name : names_of(*flag))
      flags.push_back(std::move(name));
  return "  " + quoted(each.path) + ")\n    flags=" + quoted(join(flags, " ")) + "\n" +
         words_of(program, *each.command) + values_of(*each.command) + "    ;;\n";
}

} // namespace

std::string bash_completion(const CLI::App& program, const std::string& made_by) {
  auto function = "_" + program.get_name();
  std::ranges::replace(function, '-', '_');
  const auto commands = all_commands(program);
  std::vector<std::string> paths;
  for (const auto& each : commands)
    if (each.command != &program) paths.push_back(quoted(each.path));
  auto text = "# Completion of " + program.get_name() + " for bash. Printed by `" + made_by +
              "`.\n\n" + function + "() {\n  local path=" + program.get_name() + "\n" + begin;
  if (!paths.empty()) text += line_of_case(4, paths, "path+=\" $word\"");
  text += "    esac\n  done\n  case $path in\n";
  for (const auto& each : commands)
    text += section_of(program, each);
  return text + end + "\ncomplete -F " + function + " " + program.get_name() + "\n";
}

} // namespace matchcloud::cli
