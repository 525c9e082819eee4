#pragma once

#include "base/file_descriptor.hpp"

#include <chrono>
#include <csignal>

namespace matchcloud::cli {

/// For as long as it lives, SIGINT, SIGTERM and SIGHUP (the terminal is closed; unless that is
/// ignored) end nothing: a long command looks for them where it can stop. Of the main thread,
/// before others start. What is to be cleaned up must go before it does.
class interrupt {
public:
  interrupt();
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;
  ~interrupt();

  /// Whether one of them came.
  bool came() const;
  /// Forgets what came, so that the next one shows.
  void forget() const;
  /// Waits until `fd` can be read (or ended); false where a signal came first.
  bool wait_readable(int fd) const;
  /// Waits until something can be written to `fd` (or nobody reads it any more); false where a
  /// signal came first.
  bool wait_writable(int fd) const;
  /// Lets `pause` go by; false where a signal came before. Any thread, as the two above.
  bool wait(std::chrono::milliseconds pause) const;

private:
  bool wait_for(int fd, short events, int timeout_ms) const;

  sigset_t before_{};
  base::file_descriptor signals_;
};

} // namespace matchcloud::cli
