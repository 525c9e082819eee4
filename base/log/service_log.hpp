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

/// How long the end of the process waits until its last lines are written.
inline constexpr std::chrono::milliseconds log_end_limit{1'000};

/// What a service says on stderr and stdout, written by threads of its own, so that nothing waits
/// for those who read it. While it exists, spdlog's default logger writes to it, bounded by
/// `log_limit`, and so do crashes. Made and destroyed by one thread, with at most one in a process.
class service_log {
public:
  service_log();
  service_log(const service_log&) = delete;
  service_log& operator=(const service_log&) = delete;
  /// Calls `finish`. Lines that follow are written if the process still runs by then.
  ~service_log();

  /// Writes lines to stderr as they are.
  void say(std::string_view lines);
  /// Writes lines to stdout as they are, once the lines on stderr are written or did not come
  /// through in `log_end_limit`. Once at most. A thread does it, which ends then.
  void print(std::string_view lines);
  /// Waits until everything is written, or for `log_end_limit`.
  void finish();

  /// How the next lines look; those of `say` and `print`, and of crashes, are as they are. Begins
  /// with text. Any thread.
  void set_format(log_format to) noexcept { format_->store(to, std::memory_order_relaxed); }
  /// The same, for who may outlive this.
  shared_log_format format() const noexcept { return format_; }
  /// Begins a thread, which sums up lines that were left out where no other line follows.
  static void sum_up_each_second();

  const log_metrics& metrics() const noexcept { return to_stderr_->metrics(); }

private:
  shared_log_format format_ = std::make_shared<std::atomic<log_format>>(log_format::text);
  std::shared_ptr<line_writer> to_stderr_;
  std::shared_ptr<bounded_sink> bounded_;
  /// Null before anything is printed.
  std::unique_ptr<line_writer> to_stdout_;
};

/// From now on the log of a command goes to stderr, bounded by `log_limit`, at once.
void log_to_stderr();

} // namespace matchcloud::base
