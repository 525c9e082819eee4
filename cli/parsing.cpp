#include "cli/parsing.hpp"

#include "cli/command_line.hpp"
#include "cli/print.hpp"
#include "model/access/hidden_passwords.hpp"
#include "model/access/token_text.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

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

namespace {

constexpr std::array<std::string_view, 4> prefixes{"MATCHCLOUD_", "AWS_", "PG", "SSL_CERT_"};

} // namespace

void forget_empty_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const bool is_read = std::ranges::any_of(
        prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (is_read && text.ends_with('=') && text.find('=') == text.size() - 1)
      names.emplace_back(text.substr(0, text.size() - 1));
  }
  for (const auto& name : names)
    ::unsetenv(name.c_str()); // NOLINT(concurrency-mt-unsafe): before any thread
}

namespace {

/// The program, then the commands that the command line named.
std::vector<named_command> parsed_commands(const CLI::App& program) {
  std::vector<named_command> chain{{program.get_name(), &program}};
  for (auto next = program.get_subcommands(); !next.empty(); next = next.front()->get_subcommands())
    chain.push_back({chain.back().path + " " + next.front()->get_name(), next.front()});
  return chain;
}

std::string quoted_word(const std::string& text) {
  return model::quoted_excerpt(model::redact_tokens(text));
}

/// `; did you mean ..?`, or nothing.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates,
                       std::string_view prefix) {
  const std::vector<std::string_view> known{candidates.begin(), candidates.end()};
  const auto close = model::closest_name(name, known);
  if (close.empty()) return {};
  return "; did you mean `" + std::string{prefix} + std::string{close} + "`?";
}

std::vector<std::string> names_of_commands(const named_command& of) {
  std::vector<std::string> names;
  for (const auto* each : subcommands_of(*of.command))
    names.push_back(each->get_name());
  return names;
}

std::string explain_command(const named_command& of, const std::string& word) {
  return "`" + of.path + "` has no command " + quoted_word(word) +
         suggestion(word, names_of_commands(of), of.path + " ");
}

/// The names by which other servers call their `--listen`.
constexpr std::array<std::string_view, 4> names_of_listen{"port", "address", "bind", "host"};

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* each : flags_of(command))
    for (const auto& name : each->get_lnames())
      names.push_back(name);
  return names;
}

std::string explain_flag(const named_command& of, const named_command& last,
                         const std::string& word) {
  const auto flag = word.substr(0, word.find('='));
  const auto name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  auto why = "`" + of.path + "` has no flag " + quoted_word(flag);
  // The flag was given before its command.
  const auto names = long_names(*last.command);
  if (of.command != last.command && std::ranges::find(names, name) != names.end())
    return why + "; put it after `" + last.path + "`";
  const auto known = long_names(*of.command);
  auto close = suggestion(name, known, "--");
  const bool listens = std::ranges::find(known, "listen") != known.end();
  if (close.empty() && listens && std::ranges::find(names_of_listen, name) != names_of_listen.end())
    close = suggestion("listen", known, "--");
  return why + close;
}

/// Explains the first argument that no command knows; empty if there is none.
std::string explain_unknown(const std::vector<named_command>& chain) {
  for (const auto& each : chain) {
    const auto words = each.command->remaining();
    if (words.empty()) continue;
    const auto is_flag = [](const std::string& word) {
      return word.starts_with('-') && word.size() > 1;
    };
    // A value may come before its flag here, in the place of another argument.
    const auto flag = std::ranges::find_if(words, is_flag);
    const bool is_command = !subcommands_of(*each.command).empty();
    if (is_command && !is_flag(words.front())) return explain_command(each, words.front());
    if (flag != words.end()) return explain_flag(each, chain.back(), *flag);
    return "`" + each.path + "` takes no argument " + quoted_word(words.front());
  }
  return {};
}

std::string explain_missing_command(const named_command& of) {
  return "`" + of.path + "` needs a command: " + CLI::detail::join(names_of_commands(of), ", ");
}

/// CLI11 reports a missing argument even if the reason is a mistyped one.
std::string explain(const CLI::ParseError& failure, const CLI::App& program) {
  const auto chain = parsed_commands(program);
  const auto* missing = dynamic_cast<const CLI::RequiredError*>(&failure);
  if (missing != nullptr || dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr)
    if (auto why = explain_unknown(chain); !why.empty()) return why;
  const bool needs_command = chain.back().command->get_require_subcommand_min() > 0;
  if (missing != nullptr && needs_command) return explain_missing_command(chain.back());
  return failure.what();
}

} // namespace

base::expected<named_command> find_command(const CLI::App& program,
                                           const std::vector<std::string>& words) {
  named_command found{program.get_name(), &program};
  for (const auto& word : words) {
    const auto commands = subcommands_of(*found.command);
    const auto next = std::ranges::find(commands, word, &CLI::App::get_name);
    if (next == commands.end())
      return base::fail(base::errc::config_invalid, explain_command(found, word));
    found = {found.path + " " + word, *next};
  }
  return found;
}

int report_usage(const CLI::App& program, std::string why) {
  // The message may quote a token or a password that was given in the wrong place.
  why = model::hide_passwords(model::redact_tokens(std::move(why)));
  say(program.get_name(), why);
  std::cerr << "Try `" << parsed_commands(program).back().path << " --help`.\n";
  return usage;
}

std::optional<int> parse_command_line(CLI::App& program, int argc, const char* const* argv) {
  try {
    // Like kubectl, docker and cargo: nothing was requested, so nothing failed.
    if (argc < 2 && program.get_require_subcommand_min() > 0)
      return print(program.get_name(), help_of({program.get_name(), &program})) ? ok : failed;
    program.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& request) { // --help
    return program.exit(request);
  } catch (const CLI::RuntimeError& ended) { // from a callback that has reported why
    return ended.get_exit_code();
  } catch (const CLI::ParseError& failure) {
    return report_usage(program, explain(failure, program));
  }
}

} // namespace matchcloud::cli
