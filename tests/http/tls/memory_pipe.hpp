#pragma once

#include "http/loop/byte_stream.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace matchcloud::http {

/// One direction between two streams.
struct direction {
  std::string bytes;
  /// How many bytes it holds at most, and how many it takes at once.
  std::size_t room = SIZE_MAX;
  std::size_t most_per_write = SIZE_MAX;
  std::size_t most_per_read = SIZE_MAX;
  bool ended = false;
  bool broken = false;
  std::size_t reads = 0;
  std::size_t writes = 0;
};

/// An end of a pair of directions in memory.
class pipe_end final : public byte_stream {
public:
  pipe_end(std::shared_ptr<direction> in, std::shared_ptr<direction> out)
      : in_{std::move(in)}, out_{std::move(out)} {}

  io_result read(std::span<char> into) override {
    ++in_->reads;
    if (in_->broken) return {io_status::failed, 0};
    const auto count = std::min({into.size(), in_->bytes.size(), in_->most_per_read});
    if (count == 0) return {in_->ended ? io_status::ended : io_status::blocked, 0};
    std::memcpy(into.data(), in_->bytes.data(), count);
    in_->bytes.erase(0, count);
    return {io_status::moved, count, count == into.size() || !in_->bytes.empty()};
  }
  io_result write(std::span<const iovec> from, bool) override {
    ++out_->writes;
    if (out_->broken) return {io_status::failed, 0};
    std::string all;
    for (const auto& piece : from)
      all.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
    const auto free = out_->room - std::min(out_->room, out_->bytes.size());
    all.resize(std::min({all.size(), free, out_->most_per_write}));
    if (all.empty()) return {io_status::blocked, 0};
    out_->bytes += all;
    return {io_status::moved, all.size()};
  }
  io_result send_file(int, std::uint64_t, std::size_t) override { return {io_status::failed, 0}; }
  void shutdown_write() override { out_->ended = true; }
  void reset_at_end() override {}
  std::size_t unacknowledged_bytes() const noexcept override { return out_->bytes.size(); }
  int descriptor() const noexcept override { return -1; }

private:
  std::shared_ptr<direction> in_;
  std::shared_ptr<direction> out_;
};

} // namespace matchcloud::http
