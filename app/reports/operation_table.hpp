#pragma once

#include <string>

namespace matchcloud::app {

/// A Markdown table of all operations, for docs/interface.md.
std::string operation_table();

} // namespace matchcloud::app
