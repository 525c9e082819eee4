#pragma once

#include "app/imports/line_findings.hpp"
#include "base/expected.hpp"
#include "store/engines/store_place.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::app {

/// Command-line options of an import of JSON Lines.
struct line_import_options {
  store::store_place store;
  /// The path of the input; `-` is stdin.
  std::string file;
  bool partial = false;
  /// Names of members that are skipped.
  std::vector<std::string> ignored_members;
};

/// The result of an import of JSON Lines.
struct line_import_result {
  /// For people; does not mention the lines that were left out.
  std::string summary;
  /// Lines that were not imported.
  line_findings left_out;
};

/// One format of lines that `import` accepts.
struct line_import {
  /// The subcommand's name: `lobbies`.
  std::string name;
  std::string purpose;
  /// Describes a line and what the import does with it.
  std::string help;
  std::function<base::expected<line_import_result>(const line_import_options&)> run;
  /// Fails with the reason if members of these names cannot be ignored.
  std::function<base::expected<void>(std::span<const std::string>)> check_ignored;
  /// Whether it stores objects, and so has the options that say where.
  bool has_objects = false;
};

/// Adds the subcommand of `import` for one format of lines; its callback stores the exit code in
/// `code`.
void add_line_import(CLI::App& import, const line_import& kind, int& code);

/// Called between checking and writing: fails if a line is invalid and the import is not `partial`.
base::expected<void> may_write(const line_findings& findings, const line_import_options& options);

} // namespace matchcloud::app
