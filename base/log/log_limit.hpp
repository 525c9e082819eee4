#pragma once

#include "base/clock.hpp"
#include "base/events/log_event.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::base {

/// The time window in which the lines of an event are counted.
inline constexpr std::chrono::milliseconds log_window{10'000};

/// Limits the lines of one event to `lines_limit` per `log_window`, so that a failure of every
/// request neither fills the disk nor hides other lines. One thread at a time.
class log_limit {
public:
  /// `clock` must outlive this object.
  explicit log_limit(const clock& clock = machine_clock()) : clock_{&clock} {}

  /// Whether a line may be written; otherwise it is counted.
  bool admit(log_event event, log_level level, std::string_view line);

  /// The lines of an event that were left out in its window.
  struct left_out {
    log_event event{};
    /// The most severe of them.
    log_level level{};
    /// The first of them.
    std::string line;
    std::uint64_t count = 0;
  };
  /// Takes the lines left out in windows that are over, or in all windows, in the order of events.
  std::vector<left_out> take_over(bool all = false);

private:
  struct window {
    steady_time until;
    std::uint64_t written = 0;
    left_out rest;
  };

  const clock* clock_;
  std::array<window, log_events.size()> events_;
  /// Windows that are not known to be over.
  std::size_t open_ = 0;
};

/// `120 more lines of http.operation-failed within 10 s, such as: ..`
std::string describe(const log_limit::left_out& lines);

} // namespace matchcloud::base
