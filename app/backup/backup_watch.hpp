#pragma once

#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"
#include "store/copy/store_copy.hpp"

#include <string>
#include <utility>

namespace matchcloud::app {

/// Shows the progress of a long command on the terminal, and ends the command when a signal
/// arrives. Make it before threads start.
class backup_watch {
public:
  backup_watch() : progress_{base::machine_clock()} {}

  /// Valid as long as this object.
  store::copy_watch watch() {
    return {[this] { return until_.came(); },
            [this](std::string_view what, std::uint64_t count) {
              if (std::exchange(step_, what) != what) progress_.begin(what, std::nullopt);
              progress_.show(count, count);
            }};
  }

private:
  cli::interrupt until_;
  cli::progress_display progress_;
  std::string step_;
};

} // namespace matchcloud::app
