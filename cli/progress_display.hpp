#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::cli {

/// The unit in which a step's speed is shown.
enum class progress_rate : std::uint8_t {
  /// Counted items per second.
  counted,
  /// Megabytes (10^6) per second; the whole and its parts are in bytes.
  megabytes,
};

/// Shows the progress of a command in one terminal line that it keeps rewriting. Shows nothing if
/// stderr is not a terminal. One thread.
class progress_display {
public:
  explicit progress_display(const base::clock& clock);
  ~progress_display();
  progress_display(const progress_display&) = delete;
  progress_display& operator=(const progress_display&) = delete;

  /// Starts a step. `what`: its name, such as "checked"; `whole`: its total (bytes, rows) if known.
  void begin(std::string_view what, std::optional<std::uint64_t> whole,
             progress_rate rate = progress_rate::counted);
  /// Sets the step's total once it is known.
  void set_whole(std::optional<std::uint64_t> whole) noexcept { whole_ = whole; }
  /// Shows that `count` items, or `part` of the whole, are done. Writes at most every 200 ms.
  void show(std::uint64_t count, std::uint64_t part);
  /// Shows what the command is waiting for, until something else is shown.
  void announce(std::string_view text);
  /// Clears the line.
  void clear();

private:
  void write(const std::string& text);

  const base::clock* clock_;
  bool terminal_;
  bool shown_ = false;
  std::string what_;
  std::optional<std::uint64_t> whole_;
  progress_rate rate_ = progress_rate::counted;
  base::steady_time begun_;
  base::steady_time last_;
};

/// Renders a progress line: `12 lobbies, 3.4 MB/s, 56 %`, or `12 checked, 3/s` if the total is
/// unknown.
std::string progress_line(std::string_view what, progress_rate rate, std::uint64_t count,
                          std::uint64_t part, std::optional<std::uint64_t> whole, double seconds);

} // namespace matchcloud::cli
