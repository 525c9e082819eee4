#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"
#include "model/json/rapidjson.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::app {

/// A rule and where to put it.
struct placed_rule {
  base::fault_point point{};
  base::fault_rule rule;
};

/// A rule as given on a command line.
struct rule_options {
  std::string point;
  std::string kind;
  std::string preset;
  std::string delay;
  std::string lasts;
  /// Its other members, as in JSON.
  rapidjson::Document members{rapidjson::kObjectType};
};

/// Adds POINT, KIND, `--preset` and the members of a rule; `options` must outlive the parsing.
void add_rule_options(CLI::App& command, rule_options& options);

/// The rule of the options: from the preset, or from POINT and KIND, refined by the other options.
/// Throws a `base::failure` with `config_invalid`, for example if the point does not support the
/// rule.
placed_rule rule_of(const rule_options& options);

/// The rule of a preset. Fails with `config_invalid` and a suggestion.
base::expected<placed_rule> preset_rule(std::string_view name);

/// Reads `5ms`, `1.5s` or `250us`; empty if the text is anything else, or over a day.
std::optional<std::chrono::microseconds> parse_time(std::string_view text);
/// Reads `2s..4s`, or `2s` for both.
std::optional<std::pair<std::chrono::microseconds, std::chrono::microseconds>>
parse_times(std::string_view text);

} // namespace matchcloud::app
