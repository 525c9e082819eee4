#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// A rule and where to put it.
struct placed_rule {
  base::fault_point point{};
  base::fault_rule rule;
};

/// A rule as given on a command line.
struct rule_options {
  placed_rule made{{}, {.kind = base::fault_kind::none}};
  bool is_preset = false;
  bool has_delay = false;
  /// Why the first wrong option was refused. Said when the rule is used, so that --help comes
  /// first.
  std::string wrong = {};
};

/// Adds POINT, KIND, `--preset` and the members of a rule; `options` must outlive the parsing.
void add_rule_options(CLI::App& command, rule_options& options);

/// The rule of the options: from the preset, or from POINT and KIND, refined by the other options.
/// Throws a CLI::ValidationError, for example if the point does not support the rule.
const placed_rule& rule_of(const rule_options& options);

/// The rule of a preset. Fails with `config_invalid` and a suggestion.
base::expected<placed_rule> preset_rule(std::string_view name);

/// The rule in the form that the ops plane accepts.
std::string rule_json(const base::fault_rule& rule);

/// Reads `5ms`, `1.5s` or `250us`; empty if the text is anything else, or over a day.
std::optional<std::chrono::microseconds> parse_time(std::string_view text);

} // namespace matchcloud::app
