#include "http/loop/faulty_stream.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace matchcloud::http {

namespace {

using base::fault;
using base::fault_kind;

std::size_t size_of(std::span<const iovec> pieces) noexcept {
  std::size_t sum = 0;
  for (const auto& each : pieces)
    sum += each.iov_len;
  return sum;
}

/// The first `most` bytes of `pieces`, or all if there are fewer.
std::vector<iovec> front_of(std::span<const iovec> pieces, std::size_t most) {
  std::vector<iovec> front;
  for (auto each : pieces) {
    each.iov_len = std::min(each.iov_len, most);
    most -= each.iov_len;
    if (each.iov_len > 0) front.push_back(each);
  }
  return front;
}

} // namespace

faulty_stream::faulty_stream(std::unique_ptr<byte_stream> under, event_loop& loop,
                             io_handler& connection, const base::fault_bytes& peer,
                             std::uint64_t number)
    : under_{std::move(under)},
      loop_{&loop},
      connection_{&connection},
      peer_{&peer},
      number_{number} {}

template <class Move>
io_result faulty_stream::pass(loop_pass& which, Move&& move) {
  const auto hit = which.begin(loop_->now(), fault_subject_of(*peer_, number_));
  if (hit) met_ |= base::bit_of(which.at());
  if (which.is_held()) {
    wake_later();
    return {io_status::blocked, 0};
  }
  // An injected error looks like a reset by the peer.
  const auto moved = hit.kind == fault_kind::error ? io_result{io_status::failed, 0} : move(hit);
  // A blocked operation moved no bytes, so the fault has had no effect yet and the pass continues.
  if (moved.status != io_status::blocked) which.end();
  return moved;
}

io_result faulty_stream::read(std::span<char> into) {
  return pass(reading_, [&](const fault& hit) {
    const auto got = under_->read(into);
    if (hit.kind == fault_kind::corrupt && got.status == io_status::moved)
      base::faults::flip_bit(into.first(got.bytes), hit.random);
    return got;
  });
}

io_result faulty_stream::write(std::span<const iovec> from, bool more) {
  return pass(writing_, [&](const fault& hit) {
    switch (hit.kind) {
    case fault_kind::short_write:
      return under_->write(front_of(from, base::faults::shortened(size_of(from), hit.random)),
                           more);
    case fault_kind::corrupt: return write_corrupted(from, more, hit.random);
    default: return under_->write(from, more);
    }
  });
}

io_result faulty_stream::write_corrupted(std::span<const iovec> from, bool more,
                                         std::uint64_t random) {
  std::array<char, corrupted_bytes> copy;
  std::size_t size = 0;
  for (const auto& each : front_of(from, copy.size())) {
    std::memcpy(copy.data() + size, each.iov_base, each.iov_len);
    size += each.iov_len;
  }
  base::faults::flip_bit(std::span{copy}.first(size), random);
  const iovec piece{copy.data(), size};
  return under_->write({&piece, 1}, more);
}

io_result faulty_stream::send_file(int file, std::uint64_t offset, std::size_t length) {
  return pass(writing_, [&](const fault& hit) {
    switch (hit.kind) {
    case fault_kind::short_write:
      return under_->send_file(file, offset, base::faults::shortened(length, hit.random));
    case fault_kind::corrupt: return send_corrupted(file, offset, length, hit.random);
    default: return under_->send_file(file, offset, length);
    }
  });
}

io_result faulty_stream::send_corrupted(int file, std::uint64_t offset, std::size_t length,
                                        std::uint64_t random) {
  std::array<char, corrupted_bytes> copy;
  const auto got =
      ::pread(file, copy.data(), std::min(length, copy.size()), static_cast<off_t>(offset));
  if (got < 0) return {io_status::failed, 0};
  if (got == 0) return {io_status::ended, 0};
  const iovec piece{copy.data(), static_cast<std::size_t>(got)};
  return write_corrupted({&piece, 1}, false, random);
}

void faulty_stream::wake_later() {
  auto at = base::steady_time::max();
  for (const auto* each : {&reading_, &writing_})
    if (each->is_held()) at = std::min(at, each->again_at(loop_->now()));
  loop_->timers().arm(*this, at);
}

void faulty_stream::on_deadline() {
  const std::uint32_t events =
      (reading_.is_held() ? EPOLLIN : 0U) | (writing_.is_held() ? EPOLLOUT : 0U);
  connection_->on_events(events); // may destroy this stream, so it must come last
}

} // namespace matchcloud::http
