#pragma once

#include "app/imports/line_findings.hpp"
#include "base/expected.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace matchcloud::app {

/// What the command line says of an import of JSON Lines.
struct line_import_options {
  std::string data_dir = "var";
  /// `-` is stdin.
  std::string file;
  bool partial = false;
};

/// What an import of JSON Lines did.
struct line_import_result {
  /// For people, without what was left out.
  std::string summary;
  /// Lines that were not taken.
  line_findings left_out;
};

/// One kind of lines that `import` takes.
struct line_import {
  /// `lobbies`.
  std::string name;
  std::string purpose;
  /// What a line is and what becomes of it.
  std::string help;
  std::function<base::expected<line_import_result>(const line_import_options&)> run;
};

/// Adds the subcommand of `import` for one kind of lines; its callback leaves the exit code in
/// `code`.
void add_line_import(CLI::App& import, const line_import& kind, int& code);

/// What ends an import between its check and its writing: a line is wrong, and all were wanted.
base::expected<void> may_write(const line_findings& findings, const line_import_options& options);

} // namespace matchcloud::app
