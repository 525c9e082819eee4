#pragma once

#include "base/log/line_writer.hpp"
#include "base/log/log_format.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

namespace matchcloud::base {

class bounded_sink;

/// How long the process waits at its end until its last lines are written.
inline constexpr std::chrono::milliseconds log_end_limit{1'000};

/// The output of a service on stderr and stdout, written by its own threads so that nothing else
/// waits for the readers. While it exists, spdlog's default logger (bounded by `log_limit`) writes
/// to it. Created and destroyed by one thread; at most one per process.
class service_log {
public:
  service_log();
  service_log(const service_log&) = delete;
  service_log& operator=(const service_log&) = delete;
  /// Calls `finish`. Later lines are written if the process runs long enough.
  ~service_log();

  /// Writes lines to stderr as they are.
  void say(std::string_view lines);
  /// Writes lines to stdout as they are, after the lines on stderr are written or `log_end_limit`
  /// has passed. Call at most once. A thread does the work and then ends.
  void print(std::string_view lines);
  /// Waits until everything is written, or for `log_end_limit`.
  void finish();

  /// Sets the format of further lines, which is text at first. `say` and `print` ignore it.
  /// Any thread.
  void set_format(log_format to) noexcept { format_->store(to, std::memory_order_relaxed); }
  /// The shared format, for users that may outlive this object.
  shared_log_format format() const noexcept { return format_; }
  /// Starts a thread that summarizes left-out lines even if no other line follows.
  static void sum_up_each_second();

  const log_metrics& metrics() const noexcept { return to_stderr_->metrics(); }

private:
  shared_log_format format_ = std::make_shared<std::atomic<log_format>>(log_format::text);
  std::shared_ptr<line_writer> to_stderr_;
  std::shared_ptr<bounded_sink> bounded_;
  /// Null before anything is printed.
  std::unique_ptr<line_writer> to_stdout_;
};

/// Sends the log of a command straight to stderr from now on, bounded by `log_limit`.
void log_to_stderr();

} // namespace matchcloud::base
