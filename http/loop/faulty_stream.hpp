#pragma once

#include "http/loop/byte_stream.hpp"
#include "http/loop/event_loop.hpp"
#include "http/loop/loop_pass.hpp"
#include "http/loop/timer_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace matchcloud::http {

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
