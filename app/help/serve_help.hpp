#pragma once

#include <CLI/CLI.hpp>

#include <memory>

namespace matchcloud::app {

/// Prints the help of `serve`: with `--help` one screen that names every key under its heading,
/// with `--help-all` each key with its allowed values and default.
std::shared_ptr<CLI::FormatterBase> serve_help();

} // namespace matchcloud::app
