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

/// Why a request counts as failed. Each failed request counts once.
enum class failure : std::uint8_t {
  /// The server did not accept a connection.
  connect,
  /// This machine had no port, descriptor or memory left for a connection.
  local,
  /// The connection broke, for example because the server reset it.
  reset,
  /// The server closed the connection before the reply was complete.
  closed,
  /// No complete reply arrived within the timeout.
  timeout,
  /// The bytes received are not an HTTP/1.1 reply.
  malformed,
  /// The reply has a status other than the expected one.
  status,
  /// The reply is an unexpected 503 that says when to retry (Retry-After).
  unavailable,
  /// The reply has the expected status, but its body is not what the operation promises.
  content,
  /// No connection became free for the request by the timeout after the end of the load.
  unsent,
  /// The request had no reply when a signal ended the run.
  abandoned,
};

inline constexpr std::size_t failure_kinds = 11;

/// The name in reports and assertions.
std::string_view name_of(failure kind) noexcept;

/// How late requests were sent, and the reasons for delays over `late_after`.
struct late_sends {
  static constexpr std::chrono::milliseconds late_after{1};

  /// The delays of all requests; 0 for requests sent ahead of their time.
  latency_histogram delays;
  /// No connection was free: all were waiting for replies.
  std::uint64_t for_connections = 0;
  /// A connection was free, but this program did not keep up.
  std::uint64_t by_generator = 0;

  std::uint64_t count() const noexcept { return for_connections + by_generator; }
  void add(const late_sends& other) noexcept;
};

/// Counts the outcomes of the requests of one part of a mix. One thread.
struct tally {
  std::uint64_t sent = 0;
  /// Requests with the reply that the mix expects. All others that were intended are errors.
  std::uint64_t answered = 0;
  /// How often requests were resent after a 503. The earlier replies count nowhere else.
  std::uint64_t repeated = 0;
  /// Complete replies by status, including errors.
  std::map<int, std::uint64_t> by_status;
  std::array<std::uint64_t, failure_kinds> failures{};
  /// The first failure of each kind, in words of printable ASCII; empty if there was none.
  std::array<std::string, failure_kinds> examples;
  /// The time from when a request was due, or was sent if that was earlier, to the end of its
  /// reply, for every answered request. An error is recorded only if leaving it out would hide a
  /// long wait: if it waited for at least the timeout, was not sent or was abandoned. It is then
  /// recorded with the time that it waited.
  latency_histogram latency;
  late_sends late;

  std::uint64_t errors() const noexcept;
  std::uint64_t failed(failure kind) const noexcept {
    return failures[static_cast<std::size_t>(kind)];
  }
  /// All requests that were due.
  std::uint64_t intended() const noexcept { return sent + failed(failure::unsent); }
  void fail(failure kind, std::string_view example);
  void add(const tally& other);
};

} // namespace matchcloud::load
