#pragma once

#include "http/loop/byte_stream.hpp"

#include <chrono>
#include <span>

namespace matchcloud::load {

/// The outcome of a read, and for how long the last of the bytes had been there to be read; 0 if
/// nobody knows.
struct timed_result {
  http::io_result of;
  std::chrono::nanoseconds age{0};
};

/// Makes the kernel note when bytes come, for `read_timed`.
void note_arrivals(int socket) noexcept;

/// Reads from a TCP socket as `http::socket_stream` does.
timed_result read_timed(int socket, std::span<char> into) noexcept;

} // namespace matchcloud::load
