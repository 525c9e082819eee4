#include "cli/man_page.hpp"

#include "base/build_info.hpp"
#include "base/decimal.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <ranges>
#include <string_view>
#include <vector>

namespace matchcloud::cli {

namespace {

constexpr std::string_view example_mark = "Example";
constexpr std::string_view exit_code_mark = "Exit codes: ";

/// Escapes a character so that roff prints it as it is, without its special meaning and without a
/// typographic replacement.
std::string escaped(char c) {
  switch (c) {
  case '\\': return "\\e";
  case '-': return "\\-";
  case '\'': return "\\(aq";
  case '`': return "\\(ga";
  case '^': return "\\(ha";
  case '~': return "\\(ti";
  default: return {c};
  }
}

std::string escaped(std::string_view text) {
  std::string roff;
  for (const auto c : text)
    roff += escaped(c);
  return roff;
}

/// A line of text. Text between ` is bold. A leading . would be a roff request.
std::string line_of(std::string_view text) {
  const bool has_pairs = std::ranges::count(text, '`') % 2 == 0;
  std::string roff = text.starts_with('.') ? "\\&" : "";
  bool is_bold = false;
  for (const auto c : text) {
    if (c != '`' || !has_pairs) {
      roff += escaped(c);
      continue;
    }
    is_bold = !is_bold;
    roff += is_bold ? "\\fB" : "\\fR";
  }
  return roff + "\n";
}

std::string bold(std::string_view text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string title(std::string_view text) {
  return ".SH " + escaped(text) + "\n";
}

/// Prints lines as they are.
std::string verbatim(const std::vector<std::string>& lines) {
  std::string roff = ".PP\n.RS 4\n.nf\n";
  for (const auto& each : lines)
    roff += (each.starts_with('.') ? "\\&" : "") + escaped(each) + "\n";
  return roff + ".fi\n.RE\n";
}

std::vector<std::string> parts_of(std::string_view text, std::string_view mark) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto found = std::min(text.find(mark, begin), text.size());
    if (found > begin) parts.emplace_back(text.substr(begin, found - begin));
    begin = found + mark.size();
  }
  return parts;
}

/// The text below the options, divided.
struct help_text {
  /// All of these are roff.
  std::string description;
  std::string examples;
  std::string exit_codes;
};

/// A line above an example.
std::string caption_of(const std::string& text) {
  return ".PP\n" + line_of(text + ":");
}

/// `Example[, CAPTION]: COMMAND`, or `Example: CAPTION` above an indented command.
std::string example_of(const std::string& line, bool is_above_command) {
  const auto colon = line.find(": ");
  const auto rest = line.substr(colon + 2);
  if (is_above_command && !rest.empty()) return caption_of(rest);
  const auto caption = line.substr(example_mark.size(), colon - example_mark.size());
  return (caption.size() < 3 ? "" : caption_of(caption.substr(2))) + verbatim({rest});
}

bool is_indented(const std::string& line) {
  return line.starts_with("  ");
}

/// Adds a paragraph, which may have text, indented lines and examples.
void add_paragraph(help_text& to, const std::vector<std::string>& lines) {
  bool is_example = false;
  bool begins = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    if (is_indented(line)) {
      std::vector<std::string> block;
      for (; i < lines.size() && is_indented(lines[i]); ++i)
        block.push_back(lines[i].substr(2));
      --i;
      (is_example ? to.examples : to.description) += verbatim(block);
      begins = true;
      continue;
    }
    is_example = line.starts_with(example_mark) && line.find(": ") != std::string::npos;
    if (is_example) {
      to.examples += example_of(line, i + 1 < lines.size() && is_indented(lines[i + 1]));
      continue;
    }
    to.description += (begins ? ".PP\n" : "") + line_of(line);
    begins = false;
  }
}

void add_text(help_text& to, std::string_view text) {
  for (const auto& paragraph : parts_of(text, "\n\n")) {
    if (paragraph.starts_with(exit_code_mark))
      to.exit_codes += line_of(paragraph.substr(exit_code_mark.size()));
    else
      add_paragraph(to, parts_of(paragraph, "\n"));
  }
}

std::string heading_of(const named_command& of, const man_page_facts& facts) {
  auto name = man_page_name(of);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH \"" + escaped(name) + "\" 1 \"" + escaped(facts.date) + "\" \"" +
         escaped(facts.version) + "\" \"User Commands\"\n.ad l\n.nh\n";
}

/// `2026-01-31`
std::string date_of_source() {
  constexpr std::size_t date_length = 10;
  const char* given = std::getenv("SOURCE_DATE_EPOCH");
  const auto seconds = given == nullptr ? std::nullopt : base::parse_decimal<std::uint32_t>(given);
  if (!seconds) return {};
  return model::format_timestamp(std::int64_t{*seconds} * 1'000).substr(0, date_length);
}

std::string synopsis_of(const named_command& of) {
  auto line = bold(of.path);
  if (!flags_of(*of.command).empty()) line += " [" + italic("OPTIONS") + "]";
  for (const auto* each : arguments_of(*of.command)) {
    auto name = italic(each->get_name(true, false));
    if (each->get_expected_max() > 1) name += " ...";
    line += each->get_required() ? " " + name : " [" + name + "]";
  }
  if (!subcommands_of(*of.command).empty()) {
    const bool is_needed = of.command->get_require_subcommand_min() > 0;
    line += is_needed ? " " + italic("COMMAND") : " [" + italic("COMMAND") + "]";
  }
  return title("SYNOPSIS") + line + "\n";
}

std::string commands_of(const named_command& of) {
  const auto commands = subcommands_of(*of.command);
  if (commands.empty()) return {};
  auto text = title("COMMANDS");
  for (const auto* each : commands)
    text += ".TP\n" + bold(each->get_name()) + "\n" + line_of(each->get_description());
  return text;
}

/// The value after the names of an option: its choices, or a type such as `TEXT`.
std::string value_of(const CLI::Option& option) {
  if (!takes_value(option)) return {};
  const auto choices = choices_of(option);
  if (choices.empty()) return " " + italic(type_of(option));
  return " " + CLI::detail::join(choices, bold, " | ");
}

/// The bounds in a CLI11 type: `INT in [1 - 64]` has `1 to 64`.
std::string bounds_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto begin = type.find(" in [");
  if (begin == std::string::npos) return {};
  auto bounds = type.substr(begin + 5, type.find(']', begin) - begin - 5);
  const auto dash = bounds.find(" - ");
  if (dash != std::string::npos) bounds.replace(dash, 3, " to ");
  return bounds;
}

std::string remarks_on(const CLI::Option& option) {
  std::string text;
  const auto add = [&text](const std::string& what, const std::string& value) {
    if (!value.empty()) text += line_of(what + value + ".");
  };
  add("Allowed: ", bounds_of(option));
  if (takes_value(option)) add("Default: ", option.get_default_str());
  add("Environment: ", option.get_envname());
  if (option.get_required() && option.nonpositional()) text += "Required.\n";
  return text;
}

std::string entry_of(const CLI::Option& option, const std::string& names) {
  const auto& what = option.get_description();
  return ".TP\n" + names + "\n" + (what.empty() ? "" : line_of(what)) + remarks_on(option);
}

std::string arguments_text(const CLI::App& command) {
  std::string text;
  for (const auto* each : arguments_of(command)) {
    const auto choices = choices_of(*each);
    auto name = italic(each->get_name(true, false));
    if (!choices.empty()) name += ":" + value_of(*each);
    text += entry_of(*each, name);
  }
  return text.empty() ? text : title("ARGUMENTS") + text;
}

std::string flags_text(const CLI::App& command) {
  std::string text;
  std::string group = "Options";
  for (const auto* each : flags_of(command)) {
    if (group != each->get_group()) text += ".SS " + escaped(each->get_group()) + "\n";
    group = each->get_group();
    text += entry_of(*each, CLI::detail::join(names_of(*each), bold, ", ") + value_of(*each));
  }
  return text.empty() ? text : title("OPTIONS") + text;
}

} // namespace

std::string man_page_name(const named_command& of) {
  auto name = of.path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const CLI::App& program, const named_command& of,
                     const man_page_facts& facts) {
  auto first = of.command->get_description();
  help_text text;
  // A program's description begins with its name and has more paragraphs.
  if (of.command == &program) {
    const auto end = std::min(first.find("\n\n"), first.size());
    add_text(text, first.substr(end));
    const auto name = program.get_name() + ": ";
    first = first.substr(0, end).substr(first.starts_with(name) ? name.size() : 0);
  } else {
    text.description = line_of(first);
  }
  add_text(text, of.command->get_footer());
  auto page = heading_of(of, facts) + title("NAME") + escaped(man_page_name(of)) + " \\- " +
              escaped(first) + "\n" + synopsis_of(of) + title("DESCRIPTION") + text.description +
              commands_of(of) + arguments_text(*of.command) + flags_text(*of.command);
  if (!text.exit_codes.empty()) page += title("EXIT STATUS") + text.exit_codes;
  if (!text.examples.empty()) page += title("EXAMPLES") + text.examples;
  return page;
}

man_page_facts man_page_facts_of_build() {
  const auto& built = base::built();
  return {std::string{built.name} + " " + std::string{built.version}, date_of_source()};
}

} // namespace matchcloud::cli
