#pragma once

#include <string>

namespace matchcloud::app {

/// A Markdown table of the codes of all problems that requests may get, by status, for
/// docs/interface.md.
std::string problem_table();

} // namespace matchcloud::app
