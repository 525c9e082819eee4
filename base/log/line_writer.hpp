#pragma once

#include "base/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::base {

/// The limit on bytes of lines waiting to be written. Lines beyond it are dropped.
inline constexpr std::size_t log_waiting_limit_bytes = 256 * 1'024;
/// If no thread can be started: how long writers wait for a reader that accepts nothing.
inline constexpr std::chrono::milliseconds log_direct_limit{250};
/// The longest line. Longer lines are cut.
inline constexpr std::size_t log_line_limit_bytes = 8 * 1'024;

struct log_metrics : metric_set {
  counter dropped{*this,
                  {"matchcloud_log_lines_dropped_total",
                   "Lines of the log dropped because stderr accepted them too slowly or not at "
                   "all."}};
};

/// Writes lines to a descriptor on its own thread, because the reader may stall and the descriptor
/// must stay in blocking mode: other processes share it. Only that thread waits for the reader.
/// Lines wait in two bounded buffers that take turns: one is filled while the other is written.
/// Lines that do not fit are dropped and counted, and a line in their place says how many were
/// dropped. Any thread.
class line_writer {
public:
  /// Makes the line, with its line end, which says that `lines` were dropped. One thread at a time.
  using drop_note = std::function<std::string(std::uint64_t lines)>;

  /// `fd` stays open for as long as the process runs. If no thread can be started, callers write
  /// the lines themselves: they wait for `log_direct_limit` and then drop lines until the reader
  /// continues. `waiting_limit_bytes`: the limit on bytes of lines waiting to be written.
  line_writer(int fd, drop_note note, std::size_t waiting_limit_bytes = log_waiting_limit_bytes);
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;
  /// Calls `end`.
  ~line_writer();

  /// Queues a line, which ends with a line end. Returns at once.
  void write(std::string_view line);
  /// Queues whole lines, none longer than `log_line_limit_bytes`: either all of them or none.
  /// `count` is the number of lines. Returns at once.
  void write_lines(std::string_view text, std::uint64_t count);
  /// Counts a line that could not be formatted.
  void drop();
  /// Announces that no line follows: the thread ends when it has written everything. Does not wait.
  void end();
  /// Waits until every line is written, including notes about dropped ones, or for `at_most`.
  /// Returns whether they are; does not wait for lines that cannot be written at all.
  bool wait_written(std::chrono::milliseconds at_most);

  /// The metrics of this writer; they live as long as it does.
  const log_metrics& metrics() const noexcept;

private:
  struct shared;

  /// Shared with the thread, which may be stuck in a write forever.
  std::shared_ptr<shared> shared_;
};

} // namespace matchcloud::base
