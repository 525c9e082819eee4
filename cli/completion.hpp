#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace matchcloud::cli {

/// A bash script that completes the commands, flags and values of `program`: the allowed values if
/// there are few, nothing for numbers, file names otherwise. It needs only bash, not the package
/// bash-completion. Its first line says that `made_by` printed it.
std::string bash_completion(const CLI::App& program, const std::string& made_by);

} // namespace matchcloud::cli
