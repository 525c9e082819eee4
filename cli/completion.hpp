#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::cli {

/// A script by which bash completes the commands, flags and values of `program`: allowed values
/// where they are few, nothing where a number is expected, file names elsewhere. It needs bash
/// alone, not the package bash-completion. The first line of it says that `made_by` printed it.
std::string bash_completion(const CLI::App& program, const std::string& made_by);

} // namespace matchcloud::cli
