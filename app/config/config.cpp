#include "app/config/config.hpp"

#include "app/config/store_url.hpp"
#include "base/failure.hpp"
#include "cli/bearer_tokens.hpp"
#include "cli/ca_file.hpp"
#include "cli/toml_document.hpp"
#include "model/access/hidden_passwords.hpp"
#include "model/access/token_text.hpp"
#include "model/net/url_parts.hpp"
#include "model/text/joined.hpp"
#include "model/text/suggestion.hpp"
#include "model/validation/rule_keys.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

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

  void read(const toml::table& top) {
    for (const auto& [name, node] : top) {
      const auto inner = section_of(name.str());
      if (!inner)
        read_key(section::service, name.str(), node);
      else if (const auto* table = node.as_table())
        for (const auto& [key, value] : *table)
          read_key(*inner, key.str(), value);
      else
        refuse(node, quoted(name.str()) + " is a table: write [" + std::string{name.str()} +
                         "] on a line of its own");
    }
  }

  std::vector<given_value> take_given() && { return std::move(given_); }

private:
  static std::optional<section> section_of(std::string_view name) {
    for (const auto each : {section::rules, section::limits})
      if (name == table_of(each)) return each;
    return std::nullopt;
  }

  void read_key(section where, std::string_view name, const toml::node& node) {
    const auto is_catalogs = [name](std::string_view each) { return each == name; };
    if (where == section::rules && std::ranges::any_of(names_of_catalog, is_catalogs))
      return take_catalog_names(name, node);
    const auto* key = find(where, name);
    if (key == nullptr) refuse(node, unknown(where, name));
    auto values = as_values(node);
    if (!values)
      refuse(node, quoted(name) + " must be a string, number, boolean or an array of these");
    if (values->size() > 1 && key->what != config_key::kind::list)
      refuse(node, quoted(name) + " takes one value, not an array");
    keep(key->name, name, node, *std::move(values));
  }

  void take_catalog_names(std::string_view name, const toml::node& node) {
    if (names_ == catalog_names::refused)
      refuse(node, quoted(name) +
                       " of [rules] is only for `--rules` of `validate` and `schema`; a "
                       "service reads them from its catalog (`matchcloud catalog list " +
                       std::string{name} + "`)");
    const auto is_text = [](const toml::node& each) { return each.is_string(); };
    const auto* array = node.as_array();
    auto values = as_values(node);
    if (array == nullptr || !values || !std::all_of(array->begin(), array->end(), is_text))
      refuse(node, quoted(name) + " must be an array of strings");
    keep(std::string{name}, name, node, *std::move(values));
  }

  void keep(const std::string& key, std::string_view name, const toml::node& node,
            std::vector<std::string> values) {
    const auto same = [&](const given_value& each) { return each.key == key; };
    if (const auto other = std::ranges::find_if(given_, same); other != given_.end())
      refuse(node, quoted(name) + " is given twice, also as " + other->source);
    given_.push_back({key, place(node) + ": " + std::string{name}, std::move(values)});
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

  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const {
    throw base::failure{base::errc::config_invalid, place(node) + ": " + why};
  }

  const std::string& file_;
  catalog_names names_;
  std::vector<given_value> given_;
};

} // namespace

base::expected<std::vector<given_value>> read_config_file(const std::string& file,
                                                          catalog_names names) {
  return base::attempt([&] {
    config_file_reader reader{file, names};
    reader.read(cli::read_toml_file(file, file_limit_bytes));
    return std::move(reader).take_given();
  });
}

namespace {

constexpr std::string_view environment_prefix = "MATCHCLOUD_";

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    auto part = text.substr(0, end);
    while (part.starts_with(' '))
      part.remove_prefix(1);
    while (part.ends_with(' '))
      part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// The values for `apply`: the elements of a list, or else the last value.
std::vector<std::string> elements(const config_key& key, const std::vector<std::string>& values) {
  if (key.what != config_key::kind::list) return {values.back()};
  std::vector<std::string> all;
  for (const auto& value : values)
    for (auto& part : split_at_commas(value))
      all.push_back(std::move(part));
  return all;
}

std::string finding_of(const config_key& key, const given_value& given, const base::error& why) {
  auto text = given.source;
  if (!key.may_be_secret)
    text += " = \"" + model::redact_tokens(model::joined(given.values, ",")) + "\"";
  text += " is not valid; allowed: " + std::string{key.allowed};
  if (!why.detail.empty()) text += " (" + why.detail + ")";
  // A URL may have a password, whatever key it was given for.
  return model::hide_passwords(std::move(text));
}

/// Describes contradicting rules. Names the first given key whose removal ends or changes the
/// contradiction.
std::string contradiction(const serve_config& config, const std::vector<given_value>& given,
                          const base::error& why) {
  for (const auto& key : config_keys()) {
    const auto* culprit = last_given(given, key);
    if (culprit == nullptr || key.where == config_key::section::service) continue;
    auto without = config;
    if (!key.default_value.empty())
      static_cast<void>(key.apply(without, elements(key, {key.default_value})));
    const auto sound = model::check_rules(without.rules);
    if (sound || sound.error().detail != why.detail) return finding_of(key, *culprit, why);
  }
  return why.detail;
}

/// Throws the error of a key, with the value last given for it, if any.
[[noreturn]] void refuse_key(const std::vector<given_value>& given, std::string_view name,
                             std::string why) {
  const base::error complete{base::errc::config_invalid, std::move(why)};
  const auto& key = *find_config_key(name);
  const auto* last = last_given(given, key);
  throw base::failure{complete.code, last == nullptr ? std::string{name} + ": " + complete.detail
                                                     : finding_of(key, *last, complete)};
}

void check_transport(const serve_config& config, const std::vector<given_value>& given) {
  if (config.transport == transport_kind::loops) return;
  const auto is_other = [](const data_listener& each) {
    return each.kind != http::listener_kind{} || !each.where.address.is_loopback();
  };
  if (std::ranges::any_of(config.listen, is_other))
    refuse_key(given, "listen",
               "the transport httplib supports neither PROXY protocol headers nor TLS, and "
               "reads headers less strictly; listen on loopback without /proxy and /tls, or "
               "choose loops");
  if (config.take_over) refuse_key(given, "take-over", std::string{httplib_cannot_be_taken_over});
  if (config.access_log.mode != http::access_log_mode::off)
    refuse_key(given, "access-log",
               "the transport httplib has no access log; set it to off, or choose loops");
}

/// Whether the listeners with TLS have what they need.
void check_tls(const serve_config& config, const std::vector<given_value>& given) {
  for (const auto& pair : config.tls.pairs) {
    if (pair.key.empty())
      refuse_key(
          given, "tls-cert",
          pair.certificate +
              " has no key; repeat --tls-cert and --tls-key once per name, in the same order");
    if (pair.certificate.empty())
      refuse_key(given, "tls-key",
                 pair.key + " has no certificate; repeat --tls-cert and --tls-key once per "
                            "name, in the same order");
  }
  const bool has_pairs = !config.tls.pairs.empty();
  constexpr auto needs_pairs =
      "a listener with /tls needs a certificate and its key; give --tls-cert and --tls-key "
      "(matchcloud tls self-signed makes a pair for testing)";
  const auto is_tls = [](const data_listener& each) { return each.kind.tls; };
  if (!has_pairs && std::ranges::any_of(config.listen, is_tls))
    refuse_key(given, "listen", needs_pairs);
  if (!has_pairs && config.ops_tls) refuse_key(given, "ops-listen", needs_pairs);
  if (!config.tls.client_ca.empty() && !config.ops_tls)
    refuse_key(given, "ops-client-ca",
               "client certificates need TLS; use --ops-listen ADDRESS:PORT/tls");
}

/// Connections to the database server that exports must leave free.
constexpr std::size_t other_connections = 2;

/// Whether the store's URL is valid, and is not given where other users can read it.
void check_store_keys(const serve_config& config, const std::vector<given_value>& given) {
  if (config.store.url.empty()) return;
  const auto* last = last_given(given, *find_config_key("store"));
  const bool is_flag = last != nullptr && last->source.starts_with("--");
  const auto checked =
      check_store_url(config.store.url, is_flag ? url_source::flag : url_source::private_source);
  if (!checked) refuse_key(given, "store", checked.error().detail);
  if (config.store_sessions.idle > config.store_sessions.at_once)
    refuse_key(given, "store-idle-connections",
               "more connections than store-connections can never be idle; lower it, or "
               "raise store-connections");
  // An export holds one connection until it ends.
  const auto least = config.exports.jobs_limit + other_connections;
  if (config.store_sessions.at_once < least)
    refuse_key(given, "store-connections",
               "with these export-jobs at least " + std::to_string(least) +
                   " connections are needed: each export uses one, and " +
                   std::to_string(other_connections) + " are kept for everything else");
}

/// Whether the settings of the bucket fit together.
void check_objects(const serve_config& config, const std::vector<given_value>& given) {
  if (!config.store.has_bucket()) return;
  const auto settings = base::attempt([&] { return store::check(config.store.objects); });
  if (!settings) refuse_key(given, "objects", settings.error().detail);
}

/// Refuses faults unless injection is enabled, so that nobody breaks a service by accident.
void check_faults(const serve_config& config, const std::vector<given_value>& given) {
  if (config.fault_injection) return;
  for (const auto* name : {"faults", "fault-seed"}) {
    const auto& key = *find_config_key(name);
    const auto* last = last_given(given, key);
    if (last == nullptr || last->values.empty() || last->values.front().empty()) continue;
    const base::error why{base::errc::config_invalid,
                          "faults are injected only with --enable-fault-injection"};
    throw base::failure{why.code, finding_of(key, *last, why)};
  }
}

} // namespace

const given_value* last_given(const std::vector<given_value>& given, const config_key& key) {
  const auto last = std::find_if(given.rbegin(), given.rend(),
                                 [&](const auto& value) { return value.key == key.name; });
  return last == given.rend() ? nullptr : &*last;
}

base::config_source source_of(const given_value* given) {
  using base::config_source;
  if (given == nullptr) return config_source::preset;
  if (given->source.starts_with("--")) return config_source::flag;
  return given->source.starts_with("MATCHCLOUD_") ? config_source::environment
                                                  : config_source::file;
}

std::vector<std::string> values_of(const std::vector<given_value>& given, const config_key& key) {
  const auto* last = last_given(given, key);
  const std::vector<std::string> preset{key.default_value};
  auto values = elements(key, last != nullptr && !last->values.empty() ? last->values : preset);
  std::erase(values, std::string{});
  return values;
}

base::expected<serve_config> make_config(const std::vector<given_value>& given) {
  serve_config config;
  std::string findings;
  for (const auto& key : config_keys()) {
    const auto* last = last_given(given, key);
    if (last == nullptr) {
      if (key.default_value.empty()) continue;
      // Cannot fail: tests verify that all defaults apply.
      static_cast<void>(key.apply(config, elements(key, {key.default_value})));
      continue;
    }
    // For a key without a default, an empty value selects that.
    const auto values =
        last->values.empty() ? std::vector<std::string>{} : elements(key, last->values);
    const bool nothing = values.empty() || values.front().empty();
    if (nothing && key.default_value.empty()) continue;
    const auto applied = nothing ? base::expected<void>{base::fail(base::errc::config_invalid, {})}
                                 : key.apply(config, values);
    if (!applied)
      findings += (findings.empty() ? "" : "\n") + finding_of(key, *last, applied.error());
  }
  if (!findings.empty()) return base::fail(base::errc::config_invalid, std::move(findings));
  config.given = given;
  return base::attempt([&] {
    check_transport(config, given);
    check_tls(config, given);
    check_store_keys(config, given);
    check_objects(config, given);
    check_faults(config, given);
    if (const auto sound = model::check_rules(config.rules); !sound)
      throw base::failure{base::errc::config_invalid, contradiction(config, given, sound.error())};
    const auto url = model::split_url(config.public_url);
    if (const auto own = url ? model::split_host_and_port(url->authority) : std::nullopt)
      config.front.access.data_hosts.emplace_back(own->host);
    return config;
  });
}

std::vector<given_value> read_environment(std::vector<std::string>& unknown) {
  std::vector<given_value> given;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (!text.starts_with(environment_prefix)) continue;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string source{text.substr(0, equals)};
    // These are for commands that call a service.
    if (source == cli::token_variable || source == cli::ca_file_variable) continue;
    auto name = source.substr(environment_prefix.size());
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return c == '_' ? '-' : static_cast<char>(std::tolower(c));
    });
    if (find_config_key(name) == nullptr)
      unknown.push_back(source);
    else
      given.push_back({name, source, {std::string{text.substr(equals + 1)}}});
  }
  std::sort(unknown.begin(), unknown.end());
  return given;
}

} // namespace matchcloud::app
