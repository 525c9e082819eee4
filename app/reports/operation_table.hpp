#pragma once

#include <string>

namespace matchcloud::app {

/// A Markdown table of all operations, for the README.
std::string operation_table();

} // namespace matchcloud::app
