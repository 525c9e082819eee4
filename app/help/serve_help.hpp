#pragma once

#include <CLI/CLI.hpp>

#include <memory>

namespace matchcloud::app {

/// Prints the help of `serve`: with `--help` a screen that names every key under its heading, with
/// `--help-all` each key with what is allowed and its default.
std::shared_ptr<CLI::FormatterBase> serve_help();

} // namespace matchcloud::app
