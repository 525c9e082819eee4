#pragma once

#include "cli/command_tree.hpp"

#include <string>

namespace matchcloud::cli {

/// What a manual page says of its origin.
struct man_page_facts {
  /// Of the program: `matchcloud 0.1.0`.
  std::string version;
  /// As `2026-01-31`; empty for none.
  std::string date;
};

/// The manual page (roff, section 1) of a command of `program`, one of `all_commands(program)`:
/// what its help says, in the order that readers of manual pages expect.
std::string man_page(const CLI::App& program, const named_command& of, const man_page_facts& facts);

/// The name of that page: `matchcloud-store-copy`.
std::string man_page_name(const named_command& of);

/// The version of this build and the day of the environment's SOURCE_DATE_EPOCH: the same source
/// gives the same pages. Without that variable they have no date.
man_page_facts man_page_facts_of_build();

} // namespace matchcloud::cli
