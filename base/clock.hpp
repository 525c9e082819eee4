#pragma once

#include <chrono>
#include <cstdint>

namespace matchcloud::base {

using steady_time = std::chrono::steady_clock::time_point;

/// A source of time, handed in from `app/` so that tests can drive it. Any thread.
class clock {
public:
  virtual ~clock() = default;
  /// Monotonic time, for deadlines and durations.
  virtual steady_time now() const noexcept = 0;
  /// Milliseconds since 1970-01-01T00:00:00Z, for timestamps that people see.
  virtual std::int64_t unix_ms() const noexcept = 0;
};

/// The machine's clocks: one stateless object for the whole process.
const clock& machine_clock() noexcept;

} // namespace matchcloud::base
