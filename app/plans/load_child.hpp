#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "cli/interrupt.hpp"

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace matchcloud::app {

/// A run of matchcloud-load as a child process. One thread.
class load_child {
public:
  /// Starts `program` with `arguments`; its stdout and stderr are kept. Fails with `io_failed`.
  static base::expected<load_child> start(const std::string& program,
                                          std::vector<std::string> arguments);

  load_child(load_child&& other) noexcept;
  load_child& operator=(load_child&&) = delete;
  /// Kills the process if it is still running.
  ~load_child();

  /// Waits until it has ended, for at most `most`. False if it is still running or a signal
  /// arrived.
  bool wait(const cli::interrupt& until, std::chrono::milliseconds most);
  /// Makes it end early, with the results so far.
  void stop() const noexcept;

  /// After it has ended: 128 and the signal's number if a signal ended it.
  int exit_code() const noexcept { return exit_code_; }
  std::string output() const;
  std::string errors() const;

private:
  load_child() = default;

  pid_t process_ = 0;
  base::file_descriptor ended_;
  base::file_descriptor output_;
  base::file_descriptor errors_;
  int exit_code_ = 0;
};

/// The matchcloud-load next to this program, or else the one in PATH.
std::string usual_load_program();

} // namespace matchcloud::app
