#pragma once

#include "app/config/config.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// A key that most services set.
struct sample_key {
  std::string_view name;
  /// An example of its value; empty: the default.
  std::string_view example;
};

/// The keys that the sample explains, in the order of `config_keys()`.
std::span<const sample_key> sample_keys();

/// A commented TOML file for `--config` with these keys: the values of `given` are in force, all
/// others are comments that begin with `#` and no space. Keys of `given` that the sample does not
/// explain follow the others.
std::string sample_config(const std::vector<given_value>& given);

/// Prints the help of `serve`: with `--help` one screen that names every key under its heading,
/// with `--help-all` each key with its allowed values and default.
std::shared_ptr<CLI::FormatterBase> serve_help();

} // namespace matchcloud::app
