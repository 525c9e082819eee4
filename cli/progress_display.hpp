#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::cli {

/// What a step's speed is told in.
enum class progress_rate : std::uint8_t {
  /// What is counted, per second.
  counted,
  /// Megabytes (10^6) per second; the parts of the whole are bytes.
  megabytes,
};

/// Shows on a terminal how far a command is, in one line that it writes again and again; nothing
/// where stderr is none. One thread.
class progress_display {
public:
  explicit progress_display(const base::clock& clock);
  ~progress_display();
  progress_display(const progress_display&) = delete;
  progress_display& operator=(const progress_display&) = delete;

  /// Begins a step: "checked", of `whole` (bytes, rows) if that is known.
  void begin(std::string_view what, std::optional<std::uint64_t> whole,
             progress_rate rate = progress_rate::counted);
  /// What the whole of the step is turned out to be.
  void set_whole(std::optional<std::uint64_t> whole) noexcept { whole_ = whole; }
  /// `count` lines are done, which is `part` of the whole. Writes at most a few times a second.
  void show(std::uint64_t count, std::uint64_t part);
  /// What the command waits for, until something else is shown.
  void tell(std::string_view text);
  /// Wipes the line.
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

/// A line that counts: `12 lobbies, 3.4 MB/s, 56 %`, or `12 checked, 3/s` without a known whole.
std::string progress_line(std::string_view what, progress_rate rate, std::uint64_t count,
                          std::uint64_t part, std::optional<std::uint64_t> whole, double seconds);

} // namespace matchcloud::cli
