#include "app/help/serve_help.hpp"

#include "cli/toml_document.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr std::size_t line_limit = 100;

constexpr std::array keys{
    sample_key{"listen", ""},
    sample_key{"ops-listen", ""},
    sample_key{"public-url", "https://matchmaker.example.com"},
    sample_key{"tls-cert", "/etc/matchcloud/tls/cert.pem"},
    sample_key{"tls-key", "/etc/matchcloud/tls/key.pem"},
    sample_key{"data-dir", ""},
    sample_key{"geoip", "/var/lib/matchcloud/city.mmdb"},
    sample_key{"store", "postgresql://db.example.com/matchcloud?sslmode=verify-full"},
    sample_key{"master-key-file", "/etc/matchcloud/master-key"},
    sample_key{"objects", "s3://bucket/matchcloud"},
    sample_key{"trusted-proxies", "10.0.0.0/8"},
    sample_key{"auth", "required"},
    sample_key{"drain-delay-ms", "5000"},
    sample_key{"log-level", ""},
};

constexpr const char* sample_head =
    "# The configuration of matchcloud, for `matchcloud serve --config FILE`.\n"
    "#\n"
    "# To set a key, remove the # before it. A flag (--data-dir) and the environment\n"
    "# (MATCHCLOUD_DATA_DIR) override the values here; a flag overrides both.\n"
    "# These are the keys that most services set; `matchcloud serve --help-all` lists all.\n";

/// The text in lines that begin with `mark` and a blank.
std::string wrapped(std::string_view text, char mark) {
  std::string lines;
  std::size_t width = line_limit;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (width + 1 + word.size() > line_limit) {
      if (!lines.empty()) lines += '\n';
      lines += mark;
      width = 1;
    }
    lines.append(" ").append(word);
    width += 1 + word.size();
  }
  return lines + "\n";
}

std::string comment_on(const config_key& key) {
  return wrapped(key.purpose, '#') + wrapped("Allowed: " + key.allowed + ".", '#');
}

std::string quoted(const std::string& text) {
  std::ostringstream written;
  // Without the flag for literal strings, because "quotes" are more familiar.
  const toml::value<std::string> value{text};
  written << toml::toml_formatter{value, toml::format_flags::allow_unicode_strings};
  return std::move(written).str();
}

/// `data-dir = "var"`
std::string assignment(const config_key& key, const std::vector<std::string>& values) {
  auto line = key.name + " = ";
  const bool is_bare = key.what == config_key::kind::number || key.what == config_key::kind::flag;
  if (key.what != config_key::kind::list)
    return line + (is_bare ? values.back() : quoted(values.back())) + "\n";
  std::string elements;
  for (const auto& each : values)
    elements += (elements.empty() ? "" : ", ") + quoted(each);
  return line + "[" + elements + "]\n";
}

} // namespace

std::span<const sample_key> sample_keys() {
  return keys;
}

std::string sample_config(const std::vector<given_value>& given) {
  std::string text = sample_head;
  for (const auto& [name, example] : keys) {
    const auto& key = *find_config_key(name);
    const auto* value = last_given(given, key);
    text += "\n" + comment_on(key);
    if (value != nullptr)
      text += assignment(key, value->values);
    else
      text += "#" + assignment(key, {example.empty() ? key.default_value : std::string{example}});
  }
  for (const auto& value : given)
    if (std::ranges::find(keys, value.key, &sample_key::name) == keys.end()) {
      const auto& key = *find_config_key(value.key);
      text += "\n" + comment_on(key) + assignment(key, value.values);
    }
  return text;
}

namespace {

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

std::string name_all(std::string_view heading) {
  std::string names;
  for (const auto& key : config_keys())
    if (key.heading == heading) names.append(names.empty() ? "--" : " --").append(key.name);
  return wrapped(names, ' ');
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
