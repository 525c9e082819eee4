#pragma once

#include "base/file_descriptor.hpp"

#include <csignal>

namespace matchcloud::app {

/// For as long as it lives, SIGINT and SIGTERM end nothing: a long command looks for them where it
/// can stop. Of the main thread, before others start.
class interrupt {
public:
  interrupt();
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;
  ~interrupt();

  /// Whether one of them came.
  bool came() const;
  /// Waits until `fd` can be read (or ended); false where a signal came first.
  bool wait_readable(int fd) const;

private:
  sigset_t before_{};
  base::file_descriptor signals_;
};

} // namespace matchcloud::app
