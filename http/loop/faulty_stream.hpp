#pragma once

#include "base/clock.hpp"
#include "base/faults.hpp"
#include "http/loop/byte_stream.hpp"
#include "http/loop/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace matchcloud::http {

/// By what rules choose a connection: its client's address and its number.
inline base::fault_subject fault_subject_of(const base::fault_bytes& peer,
                                            std::uint64_t number) noexcept {
  if (!base::faults::chooses_senders()) return {};
  return {base::faults::chosen({0, peer, nullptr, number}), nullptr};
}

/// One pass of a fault point on an event loop, which must not block: an operation that a fault
/// delays or stalls is begun again later. Until it ends, it counts as one pass, for which the rule
/// decides once. Loop thread only.
class loop_pass {
public:
  /// How often to check whether the fault is still injected.
  static constexpr std::chrono::milliseconds look_interval{10};

  explicit loop_pass(base::fault_point at) noexcept : at_{at} {}

  /// The fault of this pass, which is about `of`. While `is_held`, the operation must not happen
  /// yet: begin it again at `again_at`.
  base::fault begin(base::steady_time now, const base::fault_subject& of = {}) noexcept {
    if (!hit_) {
      hit_ = base::faults::strike(at_, of);
      if (hit_) held_until_ = is_stalled() ? base::steady_time::max() : now + hit_.delay;
    } else if (!base::faults::in_force(at_, hit_.rule)) {
      end();
    }
    if (is_held() && now >= held_until_) end();
    return hit_;
  }
  /// The operation has happened; the next `begin` starts another pass.
  void end() noexcept { hit_ = {}; }

  base::fault_point at() const noexcept { return at_; }
  bool is_held() const noexcept { return is_stalled() || hit_.kind == base::fault_kind::delay; }
  base::steady_time again_at(base::steady_time now) const noexcept {
    return std::min(held_until_, now + look_interval);
  }

private:
  bool is_stalled() const noexcept { return hit_.kind == base::fault_kind::stall; }

  base::fault_point at_;
  base::fault hit_;
  base::steady_time held_until_;
};

/// A byte stream whose reads and writes pass the fault points `read` and `write`. A delayed or
/// stalled operation reports `blocked`, as with a slow peer; the stream then tells its connection
/// when to retry, because the descriptor will not. Bytes keep their order. Loop thread only.
class faulty_stream final : public byte_stream, private timer {
public:
  /// `connection` gets EPOLLIN and EPOLLOUT as if from the descriptor, and may close the stream
  /// then. `peer`, which may change, is the client's address; `number` is the connection's number:
  /// rules choose by them.
  faulty_stream(std::unique_ptr<byte_stream> under, event_loop& loop, io_handler& connection,
                const base::fault_bytes& peer, std::uint64_t number);

  /// The points that have hit the stream since this was last called.
  base::fault_point_set take_met() noexcept { return std::exchange(met_, 0); }

  io_result read(std::span<char> into) override;
  io_result write(std::span<const iovec> from, bool more) override;
  io_result send_file(int file, std::uint64_t offset, std::size_t length) override;
  void shutdown_write() override { under_->shutdown_write(); }
  void reset_at_end() override { under_->reset_at_end(); }
  std::size_t unacknowledged_bytes() const noexcept override {
    return under_->unacknowledged_bytes();
  }
  int descriptor() const noexcept override { return under_->descriptor(); }

private:
  /// How many bytes are copied in order to corrupt them: files and shared bodies must not change.
  static constexpr std::size_t corrupted_bytes = 4 * 1024;

  /// Applies the injected fault to one pass; `move` does the I/O unless the fault prevents it.
  template <class Move>
  io_result pass(loop_pass& which, Move&& move);
  io_result write_corrupted(std::span<const iovec> from, bool more, std::uint64_t random);
  io_result send_corrupted(int file, std::uint64_t offset, std::size_t length,
                           std::uint64_t random);
  void wake_later();
  void on_deadline() override;

  std::unique_ptr<byte_stream> under_;
  event_loop* loop_;
  io_handler* connection_;
  const base::fault_bytes* peer_;
  std::uint64_t number_;
  base::fault_point_set met_ = 0;
  loop_pass reading_{base::fault_point::read};
  loop_pass writing_{base::fault_point::write};
};

} // namespace matchcloud::http
