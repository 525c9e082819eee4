#pragma once

#include <string>

namespace matchcloud::app {

/// A Markdown table of all operations, for docs/interface.md.
std::string operation_table();

/// A Markdown table of the callers that each operation allows, for docs/security.md: the answer
/// without a token, and with a valid token of each kind.
std::string access_table();

} // namespace matchcloud::app
