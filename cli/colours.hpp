#pragma once

#include <string_view>

namespace matchcloud::cli {

/// Whether text on stdout has colours. `when`: `always`, `never`, or `auto`, which uses colours
/// only on a terminal and follows https://no-color.org. Call before any thread is started.
bool wants_colours(std::string_view when = "auto");

} // namespace matchcloud::cli
