#pragma once

#include "base/config_row.hpp"

#include <chrono>
#include <cstddef>

namespace matchcloud::actors {

/// When an actor that dies repeatedly makes the service not ready: after more than `intensity`
/// deaths within `window`, each without having handled anything since its restart.
struct restart_limits {
  std::size_t intensity = 5;
  std::chrono::milliseconds window{10'000};
  /// Whether the process ends then.
  bool ends_process = false;
};

inline base::config_rows<restart_limits> restart_keys() {
  return {
      base::number_row("restart-intensity", &restart_limits::intensity, 1, 1'000,
                       "An actor that dies more often than this within restart-window-ms, each "
                       "time before it has handled anything, makes the service not ready."),
      base::number_row("restart-window-ms", &restart_limits::window, 100, 3'600'000,
                       "The time in which restart-intensity counts."),
      base::flag_row("exit-on-restart-storm", &restart_limits::ends_process,
                     "Ends the process when restart-intensity is exceeded, so that a manager can "
                     "restart it elsewhere."),
  };
}

} // namespace matchcloud::actors
