#pragma once

#include "base/files/file_descriptor.hpp"

#include <csignal>
#include <optional>
#include <string>

namespace matchcloud::app {

/// A signal that was noted.
struct noted_signal {
  int number = 0;
  /// What `matchcloud reload` sent along; 0: nothing.
  int value = 0;
};

/// The signals of a service, as readable descriptors, so that no signal ends it unexpectedly.
///
/// SIGTERM, SIGINT and SIGQUIT ask it to end. SIGHUP asks it to reload, unless it is ignored, as
/// under nohup. SIGUSR2 asks it to start its successor, whose end SIGCHLD reports. Signals without
/// a meaning here that would end the process, such as SIGUSR1, are only noted. Signals of a crash
/// and signals that a library handles are not changed.
///
/// Signals are blocked in the constructing thread and those that it starts later, so create this in
/// the main thread before others. For that thread only.
class service_signals {
public:
  /// Blocks them: from here on, signals to end stay pending until they are taken.
  service_signals();
  service_signals(const service_signals&) = delete;
  service_signals& operator=(const service_signals&) = delete;
  /// Does not unblock the signals that are only noted: one may be pending and would end the
  /// process.
  ~service_signals() = default;

  /// Lets signals to end terminate the process again, for example while it only cleans up.
  void unblock_ending() const;

  /// Readable while a signal to end is pending.
  int ending_fd() const noexcept { return ending_fd_.get(); }
  /// Readable while another signal is pending.
  int noted_fd() const noexcept { return noted_fd_.get(); }
  /// Whether a signal to end is pending.
  bool ends() const;
  /// Takes a signal to end, or another signal; empty if none is pending.
  std::optional<int> take_ending() const;
  std::optional<noted_signal> take_noted() const;

private:
  sigset_t ending_{};
  base::file_descriptor ending_fd_;
  base::file_descriptor noted_fd_;
};

/// Such as SIGUSR1.
std::string name_of_signal(int number);

} // namespace matchcloud::app
