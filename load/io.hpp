#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/loop/byte_stream.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace matchcloud::load {

/// The outcome of a read, and how long the last bytes had been waiting; 0 if unknown.
struct timed_result {
  http::io_result of;
  std::chrono::nanoseconds age{0};
};

/// Makes the kernel record when bytes arrive, for `read_timed`.
void note_arrivals(int socket) noexcept;

/// Reads from a TCP socket as `http::socket_stream` does.
timed_result read_timed(int socket, std::span<char> into) noexcept;

/// Unsent bytes in up to three pieces, so that the part that differs by connection can go between
/// the parts that all connections share, without a copy. The bytes must stay valid. One thread.
class unsent_bytes {
public:
  unsent_bytes() = default;
  unsent_bytes(std::string_view first, std::string_view second, std::string_view third)
      : pieces_{first, second, third} {}

  bool empty() const noexcept;
  /// Sends as much as the stream accepts in one call. Returns the outcome.
  http::io_status send(http::byte_stream& to);

private:
  std::array<std::string_view, 3> pieces_;
};

/// Makes a timer of timerfd_create(2) expire at `when`.
void set_timer(const base::file_descriptor& timer, base::steady_time when) noexcept;

/// Waits for ticks at equal intervals, at a third of the cost of other timers. The expensive part,
/// above all in a virtual machine, is that the kernel sets the processor's timer: when a wait
/// begins, when it ends, and for the kernel's own tick after that. The kernel does so only for the
/// earliest timer. So this class always has two timers set: one for the next tick, and one for the
/// tick after it, which was set while the other was earlier. One thread.
class tick_timer {
public:
  explicit tick_timer(std::chrono::nanoseconds interval);

  /// Waits for the next tick, unless it has just passed. If more have passed, ticks start again at
  /// `now`, which is the time of the call.
  void wait(base::steady_time now);

private:
  std::chrono::nanoseconds interval_;
  std::array<base::file_descriptor, 2> timers_;
  /// The index of the timer for the next tick.
  std::size_t next_ = 0;
  base::steady_time next_at_;
};

} // namespace matchcloud::load
