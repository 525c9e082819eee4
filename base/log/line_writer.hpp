#pragma once

#include "base/crash_report.hpp"
#include "base/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::base {

/// Bytes of lines that wait to be written. Lines beyond it are dropped.
inline constexpr std::size_t log_waiting_limit_bytes = 256 * 1'024;
/// Where no thread can be had: how long all writers together wait for a reader that has stalled.
inline constexpr std::chrono::milliseconds log_direct_limit{250};
/// Longer lines are cut.
inline constexpr std::size_t log_line_limit_bytes = 8 * 1'024;

struct log_metrics : metric_set {
  counter dropped{*this,
                  {"matchcloud_log_lines_dropped_total",
                   "Lines of the log dropped because stderr took them too slowly or not at all."}};
};

/// Writes lines to a descriptor on a thread of its own, because its reader may stall, and the
/// descriptor must stay a blocking one: others share it. Nobody but that thread waits for the
/// reader. Lines wait in two bounded buffers that take turns: one is filled while the other is
/// written. A line that finds no room is dropped and counted, and a line at its place says how many
/// were. Any thread.
class line_writer final : public last_words_writer {
public:
  /// The line, with its end, that says that `lines` were dropped. Called by one thread at a time.
  using drop_note = std::function<std::string(std::uint64_t lines)>;

  /// `fd` stays open for as long as the process runs. If no thread can be had, lines are written by
  /// the callers, which wait for `log_direct_limit` and then drop lines until the reader reads on.
  /// `waiting_limit_bytes`: bytes of lines that wait to be written.
  line_writer(int fd, drop_note note, std::size_t waiting_limit_bytes = log_waiting_limit_bytes);
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;
  /// Calls `end`.
  ~line_writer() override;

  /// Takes a line, which ends in a line end. Returns at once.
  void write(std::string_view line);
  /// Takes whole lines, none of them longer than `log_line_limit_bytes`, all or none of them.
  /// `count` is their number. Returns at once.
  void write_lines(std::string_view text, std::uint64_t count);
  /// Counts a line that could not be made.
  void drop();
  /// No line follows: the thread ends by itself once it has written everything. Waits for nothing.
  void end();
  /// Waits until every line is written, with those about dropped ones, or for `at_most`. Whether
  /// they are; lines that cannot be written at all are not waited for.
  bool wait_written(std::chrono::milliseconds at_most);
  result write_last(std::string_view text, std::chrono::milliseconds at_most) noexcept override;

  /// Of this writer; they live as long as it does.
  const log_metrics& metrics() const noexcept;

private:
  struct shared;

  /// The thread has it too, because it may be stuck in a write for ever.
  std::shared_ptr<shared> shared_;
};

} // namespace matchcloud::base
