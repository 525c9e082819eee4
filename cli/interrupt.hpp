#pragma once

#include "base/files/file_descriptor.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>

namespace matchcloud::cli {

/// While this object lives, SIGINT, SIGTERM and SIGHUP (the terminal was closed; unless ignored) do
/// not end the process: a long command checks for them at points where it can stop. Create it in
/// the main thread before other threads start. Clean up before it is destroyed.
class interrupt {
public:
  interrupt();
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;
  ~interrupt();

  /// Whether one of these signals has arrived.
  bool came() const;
  /// Discards the signals that arrived, so that a later one can be noticed.
  void forget() const;
  /// Waits until `fd` can be read (or is at its end); returns false if a signal arrived first.
  bool wait_readable(int fd) const;
  /// As above; also returns false once `most` has passed.
  bool wait_readable(int fd, std::chrono::milliseconds most) const;
  /// Waits until `fd` can be written to (or has no reader any more); returns false if a signal
  /// arrived first.
  bool wait_writable(int fd) const;
  /// Waits for `pause`; returns false if a signal arrived first. Any thread, as for the
  /// functions above.
  bool wait(std::chrono::milliseconds pause) const;

private:
  enum class outcome : std::uint8_t { signal, ready, timeout };
  outcome wait_for(int fd, short events, int timeout_ms) const;

  sigset_t before_{};
  base::file_descriptor signals_;
};

} // namespace matchcloud::cli
