#pragma once

#include "base/files/file_descriptor.hpp"
#include "cli/interrupt.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// Sends `signal` to `process` when it is destroyed, if this process dies, or after `most`. One
/// thread, the main one.
class process_guard {
public:
  /// Throws a `base::failure` with `io_failed`, without sending anything.
  process_guard(pid_t process, int signal, std::chrono::seconds most);
  process_guard(const process_guard&) = delete;
  process_guard& operator=(const process_guard&) = delete;
  ~process_guard();

private:
  pid_t process_;
  int signal_;
  pid_t guard_;
};

/// A run of matchcloud-load as a child process, which is killed with this object, with this process
/// or after `most`. One thread, the main one.
class load_child {
public:
  /// Starts `program`; its stdout and stderr are kept. Throws a `base::failure` with `io_failed`.
  load_child(const std::string& program, std::vector<std::string> arguments,
             std::chrono::seconds most);
  load_child(const load_child&) = delete;
  load_child& operator=(const load_child&) = delete;
  ~load_child() { reap(); }

  /// Waits until it has ended, for at most `most`. False if it is still running or a signal
  /// arrived.
  bool wait(const cli::interrupt& until, std::chrono::milliseconds most);
  /// Makes it end early, with the results so far.
  void stop() const noexcept;

  /// After it has ended, unless a signal ended it.
  std::optional<int> exit_code() const noexcept { return exit_code_; }
  std::string output() const { return content_of(output_); }
  std::string errors() const { return content_of(errors_); }

private:
  static std::string content_of(const base::file_descriptor& of);
  void reap() noexcept;

  base::file_descriptor output_;
  base::file_descriptor errors_;
  pid_t process_ = 0;
  base::file_descriptor ended_;
  std::optional<process_guard> guard_;
  std::optional<int> exit_code_;
};

} // namespace matchcloud::app
