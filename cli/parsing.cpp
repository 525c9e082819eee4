#include "cli/parsing.hpp"

#include "cli/command_line.hpp"
#include "cli/print.hpp"
#include "model/access/hidden_passwords.hpp"
#include "model/access/token_text.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>
#include <utility>

namespace matchcloud::cli {

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

std::string explain_command(const named_command& of, const std::string& word) {
  std::vector<std::string> names;
  for (const auto* each : subcommands_of(*of.command))
    names.push_back(each->get_name());
  return "`" + of.path + "` has no command " + quoted_word(word) +
         suggestion(word, names, of.path + " ");
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
  std::string names;
  for (const auto* each : subcommands_of(*of.command))
    names += (names.empty() ? "" : ", ") + each->get_name();
  return "`" + of.path + "` needs a command: " + names;
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
