#pragma once

#include <string>

namespace matchcloud::app {

/// Markdown tables of all fault points and presets, for docs/faults.md.
std::string fault_point_table();
std::string fault_preset_table();

} // namespace matchcloud::app
