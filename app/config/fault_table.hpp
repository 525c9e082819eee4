#pragma once

#include <string>

namespace matchcloud::app {

/// A Markdown table of all fault points, for docs/faults.md.
std::string fault_point_table();

} // namespace matchcloud::app
