#pragma once

#include <string>

namespace matchcloud::app {

/// The result of a reload, for its caller and for the log.
struct reload_outcome {
  bool is_refused = false;
  /// Whole lines: why it was refused, or what is now in force and what needs a restart.
  std::string text;
};

} // namespace matchcloud::app
