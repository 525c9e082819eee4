#include "app/config/config.hpp"
#include "cli/bounded_input.hpp"
#include "cli/toml_document.hpp"

#include "model/text/suggestion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace matchcloud::app {

namespace {

using section = config_key::section;

/// Keys that are only allowed in `[rules]` of a rules file.
constexpr std::array<std::string_view, 2> names_of_catalog{"tiers", "regions"};

/// Enough for thousands of names of regions and tiers.
constexpr std::size_t file_limit_bytes = 1024UL * 1024;

/// A TOML value in the syntax of a flag; empty if it has another type.
std::optional<std::string> as_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto real = node.value_exact<double>()) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), *real).ptr;
    return std::string{digits, end};
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> as_values(const toml::node& node) {
  if (const auto* array = node.as_array()) {
    std::vector<std::string> all;
    for (const auto& element : *array) {
      auto text = as_text(element);
      if (!text) return std::nullopt;
      all.push_back(*std::move(text));
    }
    return all;
  }
  auto text = as_text(node);
  if (!text) return std::nullopt;
  return std::vector<std::string>{*std::move(text)};
}

/// Reads one file: the keys at its top, then those of its tables.
class config_file_reader {
public:
  config_file_reader(const std::string& file, catalog_names names) : file_{file}, names_{names} {}

  base::expected<void> read(const toml::table& top) {
    for (const auto& [name, node] : top) {
      const auto inner = section_of(name.str());
      const auto done =
          !inner ? read_key(section::service, name.str(), node)
          : node.as_table()
              ? read_table(*inner, *node.as_table())
              : refuse(node, "\"" + std::string{name.str()} + "\" is a table: write [" +
                                 std::string{name.str()} + "] on a line of its own");
      if (!done) return done;
    }
    return {};
  }

  std::vector<given_value> take_given() && { return std::move(given_); }

private:
  static std::optional<section> section_of(std::string_view name) {
    for (const auto each : {section::rules, section::limits})
      if (name == table_of(each)) return each;
    return std::nullopt;
  }

  base::expected<void> read_table(section where, const toml::table& table) {
    for (const auto& [name, node] : table)
      if (auto done = read_key(where, name.str(), node); !done) return done;
    return {};
  }

  base::expected<void> read_key(section where, std::string_view name, const toml::node& node) {
    const auto is_catalogs = [name](std::string_view each) { return each == name; };
    if (where == section::rules && std::ranges::any_of(names_of_catalog, is_catalogs))
      return take_catalog_names(name, node);
    const auto* key = find(where, name);
    if (key == nullptr) return refuse(node, unknown(where, name));
    auto values = as_values(node);
    if (!values)
      return refuse(node, quoted(name) + " must be a string, number, boolean or an array of these");
    if (values->size() > 1 && key->what != config_key::kind::list)
      return refuse(node, quoted(name) + " takes one value, not an array");
    return keep(key->name, name, node, *std::move(values));
  }

  base::expected<void> take_catalog_names(std::string_view name, const toml::node& node) {
    if (names_ == catalog_names::refused)
      return refuse(node, quoted(name) +
                              " of [rules] is only for `--rules` of `validate` and `schema`; a "
                              "service reads them from its catalog (`matchcloud catalog list " +
                              std::string{name} + "`)");
    const auto is_text = [](const toml::node& each) { return each.is_string(); };
    const auto* array = node.as_array();
    auto values = as_values(node);
    if (array == nullptr || !values || !std::all_of(array->begin(), array->end(), is_text))
      return refuse(node, quoted(name) + " must be an array of strings");
    return keep(std::string{name}, name, node, *std::move(values));
  }

  base::expected<void> keep(const std::string& key, std::string_view name, const toml::node& node,
                            std::vector<std::string> values) {
    const auto same = [&](const given_value& each) { return each.key == key; };
    if (const auto other = std::ranges::find_if(given_, same); other != given_.end())
      return refuse(node, quoted(name) + " is given twice, also as " + other->source);
    given_.push_back({key, place(node) + ": " + std::string{name}, std::move(values)});
    return {};
  }

  /// The key by its name in the table or, at the top, by its full name.
  static const config_key* find(section where, std::string_view name) {
    if (where == section::service) return find_config_key(name);
    for (const auto& key : config_keys())
      if (key.where == where && name_in_table(key) == name) return &key;
    return nullptr;
  }

  static std::string unknown(section where, std::string_view name) {
    std::vector<std::string_view> known;
    for (const auto& key : config_keys()) {
      if (where == section::service)
        known.push_back(key.name);
      else if (key.where == where)
        known.push_back(name_in_table(key));
    }
    if (where == section::service)
      for (const auto table : {section::rules, section::limits})
        known.push_back(table_of(table));
    auto text = "unknown key " + quoted(name);
    if (where != section::service) text += " of [" + std::string{table_of(where)} + "]";
    if (const auto close = model::closest_name(name, known); !close.empty())
      text += "; did you mean " + quoted(close) + "?";
    if (where == section::service)
      return text + (text.back() == '?' ? " The" : "; the") +
             " keys are the flags of `matchcloud serve --help`";
    text += text.back() == '?' ? " The keys are" : "; the keys are";
    for (const auto each : known)
      text.append(each == known.front() ? " " : ", ").append(each);
    return text;
  }

  static std::string quoted(std::string_view name) { return "\"" + std::string{name} + "\""; }

  std::string place(const toml::node& node) const {
    return file_ + ":" + std::to_string(node.source().begin.line);
  }

  base::expected<void> refuse(const toml::node& node, const std::string& why) const {
    return base::fail(base::errc::config_invalid, place(node) + ": " + why);
  }

  const std::string& file_;
  catalog_names names_;
  std::vector<given_value> given_;
};

} // namespace

base::expected<std::vector<given_value>> read_config_file(const std::string& file,
                                                          catalog_names names) {
  const auto refuse = [&file](const std::string& why) {
    return base::fail(base::errc::config_invalid, file + ": " + why);
  };
  const auto text = cli::read_bounded_file(file, file_limit_bytes);
  if (!text) return refuse(text.error().detail);
  if (text->size() > file_limit_bytes)
    return refuse("has more than " + std::to_string(file_limit_bytes) + " bytes");
  const auto document = cli::parse_toml(*text, file);
  if (!document) return tl::unexpected(document.error());
  config_file_reader reader{file, names};
  if (auto done = reader.read(*document); !done) return tl::unexpected(done.error());
  return std::move(reader).take_given();
}

} // namespace matchcloud::app
