#pragma once

#include "http/loop/byte_stream.hpp"

#include <chrono>
#include <span>

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

} // namespace matchcloud::load
