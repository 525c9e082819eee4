#pragma once

#include <string>

namespace matchcloud::app {

/// How a reload went, for the one who asked for it and for the log.
struct reload_outcome {
  bool is_refused = false;
  /// Whole lines: why it was refused, or what was taken up and what needs a restart.
  std::string text;
};

} // namespace matchcloud::app
