#pragma once

#include "cli/parsing.hpp"

#include <string>

namespace matchcloud::cli {

/// The origin that a manual page states.
struct man_page_facts {
  /// The program and its version: `matchcloud 0.1.0`.
  std::string version;
  /// In the form `2026-01-31`; empty for no date.
  std::string date;
};

/// The manual page (roff, section 1) of a command of `program`, one of `all_commands(program)`. It
/// has the content of the help, in the order that readers of manual pages expect.
std::string man_page(const CLI::App& program, const named_command& of, const man_page_facts& facts);

/// The name of that page: `matchcloud-store-copy`.
std::string man_page_name(const named_command& of);

/// The version of this build and the day of SOURCE_DATE_EPOCH in the environment, so that the same
/// source makes the same pages. Without that variable, pages have no date.
man_page_facts man_page_facts_of_build();

} // namespace matchcloud::cli
