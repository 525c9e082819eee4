#include "app/help/serve_help.hpp"

#include "app/config/config.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace matchcloud::app {

namespace {

constexpr std::size_t line_limit = 100;
constexpr std::size_t name_width = 27;

/// Headings whose keys most services set or need to know. Keys of other headings are only named.
constexpr std::array<std::string_view, 5> explained{"Listening", "Data", "Regions",
                                                    "Clients and proxies", "Fault injection"};

std::string line(std::string name, std::string_view what) {
  name.insert(0, "  ").resize(std::max(name.size() + 1, name_width), ' ');
  return name.append(what).append("\n");
}

/// The text before the first detail.
std::string gist(std::string_view text) {
  auto end = text.size();
  for (const auto* mark : {". ", "; ", ": "})
    end = std::min(end, text.find(mark));
  return std::string{text.substr(0, end)};
}

std::string explain(const config_key& key) {
  auto what = gist(key.purpose);
  if (what.ends_with('.')) what.pop_back();
  if (!key.default_value.empty() && key.what != config_key::kind::flag)
    what.append(" (").append(key.default_value).append(")");
  return line("--" + key.name, what);
}

/// The names of the keys of a heading, in lines of at most `line_limit`.
std::string name_all(std::string_view heading) {
  std::string text;
  std::size_t width = line_limit;
  for (const auto& key : config_keys()) {
    if (key.heading != heading) continue;
    const auto name = "--" + key.name;
    if (width + 1 + name.size() > line_limit) {
      text += text.empty() ? " " : "\n ";
      width = 1;
    }
    text.append(" ").append(name);
    width += 1 + name.size();
  }
  return text + "\n";
}

std::string brief_help(const CLI::App& serve) {
  auto text =
      serve.get_description() + "\nUsage: matchcloud serve [OPTIONS]\n\n" +
      line("--help, --help-all", "This text; every key with its allowed values and default") +
      line("--config FILE", "A TOML file with any of the keys") +
      line("--sample-config", "Print a commented file for --config; given keys are set");
  std::string_view heading;
  for (const auto& key : config_keys()) {
    const bool is_new = heading != key.heading;
    heading = key.heading;
    const bool is_explained = std::ranges::find(explained, heading) != explained.end();
    // There are forty, and their common prefix is enough to find them.
    const bool is_limit = key.where == config_key::section::limits;
    if (is_new) text.append(heading).append(is_limit ? "\n  --limit-.. (--help-all)\n" : "\n");
    if (is_explained) text += explain(key);
    if (is_new && !is_explained && !is_limit) text += name_all(heading);
  }
  return text + "\n" + serve.get_footer() + "\n";
}

class help_formatter final : public CLI::Formatter {
public:
  std::string make_help(const CLI::App* serve, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::All)
      return CLI::Formatter::make_help(serve, std::move(name), CLI::AppFormatMode::Normal);
    return brief_help(*serve);
  }
};

} // namespace

std::shared_ptr<CLI::FormatterBase> serve_help() {
  return std::make_shared<help_formatter>();
}

} // namespace matchcloud::app
