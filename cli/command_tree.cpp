#include "cli/command_tree.hpp"

namespace matchcloud::cli {

namespace {

void add(std::vector<named_command>& to, const std::string& path, const CLI::App& command) {
  to.push_back({path, &command});
  for (const auto* each : subcommands_of(command))
    add(to, path + " " + each->get_name(), *each);
}

/// The help hides options without a group.
bool is_shown(const CLI::Option& option) {
  return !option.get_group().empty();
}

} // namespace

std::vector<named_command> all_commands(const CLI::App& program) {
  std::vector<named_command> all;
  add(all, program.get_name(), program);
  return all;
}

std::string help_of(const named_command& of) {
  return of.command->get_formatter()->make_help(of.command, of.path, CLI::AppFormatMode::Normal);
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::vector<const CLI::Option*> flags_of(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* each) { return is_shown(*each) && each->nonpositional(); });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* each) { return is_shown(*each) && each->get_positional(); });
}

std::vector<std::string> names_of(const CLI::Option& flag) {
  std::vector<std::string> names;
  for (const auto& each : flag.get_snames())
    names.push_back("-" + each);
  for (const auto& each : flag.get_lnames())
    names.push_back("--" + each);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto begin = type.rfind('{');
  const auto end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::string type_of(const CLI::Option& option) {
  // CLI11 appends the names of checks: `TEXT:FILE`, `INT:INT in [1 - 9]`.
  const auto type = option.get_type_name();
  const auto last = type.substr(type.rfind(':') + 1);
  return last.substr(0, last.find(' '));
}

bool may_be_file(const CLI::Option& option) {
  const auto type = type_of(option);
  return type == "TEXT" || type == "FILE";
}

} // namespace matchcloud::cli
