#pragma once

#include <string>

namespace matchcloud::app {

/// A Markdown table of all events of the log, for docs/logs.md.
std::string log_event_table();

} // namespace matchcloud::app
