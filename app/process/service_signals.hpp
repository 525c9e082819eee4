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

/// The signals of a service, as readable descriptors, so that none ends it by surprise.
///
/// SIGTERM, SIGINT and SIGQUIT ask it to end. SIGHUP asks it to reload, unless it is ignored, as
/// with nohup, and SIGUSR2 to start its successor, whose end SIGCHLD tells. Signals without a
/// meaning here that would end the process, such as SIGUSR1, are only noted. Those of a crash, and
/// those that a library handles, stay as they are.
///
/// Signals are blocked in the constructing thread and those that it starts later, so create this in
/// the main thread before others. For that thread only.
class service_signals {
public:
  /// Blocks them: from here on those that ask to end wait to be taken.
  service_signals();
  service_signals(const service_signals&) = delete;
  service_signals& operator=(const service_signals&) = delete;
  /// Does not unblock the signals that are only noted: one may be pending and would end the
  /// process.
  ~service_signals() = default;

  /// Lets those that ask to end do so by themselves again, such as while the process only cleans
  /// up.
  void unblock_ending() const;

  /// Readable while a signal to end waits to be taken.
  int ending_fd() const noexcept { return ending_fd_.get(); }
  /// Readable while another signal waits to be taken.
  int noted_fd() const noexcept { return noted_fd_.get(); }
  /// Whether a signal to end waits to be taken.
  bool ends() const;
  /// Takes a signal to end, or another signal; empty if none waits.
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
