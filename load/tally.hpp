#pragma once

#include "load/latency_histogram.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace matchcloud::load {

/// Why a request counts as failed. Each counts once.
enum class failure : std::uint8_t {
  /// The server took no connection.
  connect,
  /// This machine had no port, descriptor or memory left for a connection.
  local,
  /// The server broke the connection off.
  reset,
  /// The server closed it before the reply was whole.
  closed,
  /// No whole reply within the timeout.
  timeout,
  /// What came is no HTTP/1.1 reply.
  malformed,
  /// Another status than the expected one.
  status,
  /// The expected status, but not what the operation promises.
  content,
  /// No connection became free for it until the end.
  unsent,
  /// It had no reply yet when a signal ended the run.
  abandoned,
};

inline constexpr std::size_t failure_kinds = 10;

/// As reports call it.
std::string_view name_of(failure kind) noexcept;

/// Sends that were later than intended by more than `late_after`.
struct late_sends {
  static constexpr std::chrono::milliseconds late_after{1};

  /// No connection was free: all waited for replies.
  std::uint64_t for_connections = 0;
  /// A connection was free: this program did not keep up.
  std::uint64_t by_generator = 0;
  std::uint64_t max_ns = 0;

  std::uint64_t count() const noexcept { return for_connections + by_generator; }
  void add(const late_sends& other) noexcept;
};

/// What became of the requests of one part of a mix. One thread.
struct tally {
  std::uint64_t sent = 0;
  /// Replies that were read whole, whatever their status.
  std::uint64_t answered = 0;
  std::map<int, std::uint64_t> by_status;
  std::array<std::uint64_t, failure_kinds> failures{};
  /// The first failure of each kind, in words without control characters; empty where there was
  /// none.
  std::array<std::string, failure_kinds> examples;
  /// From the intended time of a request to the end of its reply: whatever was answered, and as
  /// long as was waited for what timed out, was not sent or abandoned.
  latency_histogram latency;
  late_sends late;

  std::uint64_t errors() const noexcept;
  std::uint64_t failed(failure kind) const noexcept {
    return failures[static_cast<std::size_t>(kind)];
  }
  /// All that was to be sent.
  std::uint64_t intended() const noexcept { return sent + failed(failure::unsent); }
  void fail(failure kind, std::string_view example);
  void add(const tally& other);
};

} // namespace matchcloud::load
