#include "app/commands/configuration_options.hpp"

#include "app/commands/commands.hpp"
#include "base/events/log.hpp"

#include <utility>

namespace matchcloud::app {

namespace {

std::string description(const config_key& key) {
  auto text = key.purpose;
  text.append(" Allowed: ").append(key.allowed).append(".");
  if (!key.default_value.empty()) text.append(" Default: ").append(key.default_value).append(".");
  return text;
}

/// The name of a key's value in the help.
std::string type_of(const config_key& key) {
  if (!key.choices.empty()) return cli::choices_text({key.choices.begin(), key.choices.end()});
  return key.what == config_key::kind::number ? "NUMBER" : "TEXT";
}

} // namespace

CLI::Option* add_config_option(CLI::App& command, configuration_options& options) {
  return command
      .add_option("--config", options.config_file, "A TOML file with any of the keys of serve.")
      ->check(named_file());
}

void add_key_option(CLI::App& command, configuration_options& options, const config_key& key) {
  auto& values = options.flags[key.name];
  const std::string heading{key.heading};
  if (key.what == config_key::kind::flag) {
    command.add_flag("--" + key.name, values, description(key))->group(heading);
    return;
  }
  command.add_option("--" + key.name, values, description(key))
      ->group(heading)
      ->type_name(type_of(key))
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(key.what == config_key::kind::list ? CLI::MultiOptionPolicy::TakeAll
                                                               : CLI::MultiOptionPolicy::TakeLast);
}

std::vector<given_value> given_flags(const configuration_options& options) {
  std::vector<given_value> given;
  for (const auto& [name, values] : options.flags)
    if (!values.empty()) given.push_back({name, "--" + name, values});
  return given;
}

base::expected<std::vector<given_value>> read_given(const configuration_options& options,
                                                    std::vector<std::string>& unknown) {
  std::vector<given_value> given;
  if (!options.config_file.empty()) {
    auto from_file = read_config_file(options.config_file);
    if (!from_file) return tl::unexpected(from_file.error());
    given = *std::move(from_file);
  }
  for (auto& value : read_environment(unknown))
    given.push_back(std::move(value));
  for (auto& value : given_flags(options))
    given.push_back(std::move(value));
  return given;
}

base::expected<std::vector<given_value>> read_given(const configuration_options& options) {
  std::vector<std::string> unknown;
  auto given = read_given(options, unknown);
  warn_of_variables(unknown);
  return given;
}

void warn_of_variables(const std::vector<std::string>& unknown) {
  for (const auto& name : unknown)
    base::log(base::log_event::config_unknown_variable,
              "{} is not a configuration key of matchcloud and has no effect", name);
}

base::expected<serve_config> read_configuration(const configuration_options& options,
                                                std::vector<std::string>& unknown) {
  return read_given(options, unknown).and_then(make_config);
}

base::expected<serve_config> read_configuration(const configuration_options& options) {
  return read_given(options).and_then(make_config);
}

} // namespace matchcloud::app
