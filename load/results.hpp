#pragma once

#include "load/arrivals.hpp"
#include "load/latency.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

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
inline std::string_view name_of(failure kind) noexcept {
  constexpr std::array<std::string_view, failure_kinds> names{
      "connect", "local",       "reset",   "closed", "timeout",  "malformed",
      "status",  "unavailable", "content", "unsent", "abandoned"};
  return names[static_cast<std::size_t>(kind)];
}

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
  void add(const late_sends& other) noexcept {
    delays.add(other.delays);
    for_connections += other.for_connections;
    by_generator += other.by_generator;
  }
};

/// What became of some requests. One thread.
struct outcomes {
  std::uint64_t sent = 0;
  /// Requests with the reply that the mix expects. All others that were intended are errors.
  std::uint64_t answered = 0;
  std::array<std::uint64_t, failure_kinds> failures{};

  std::uint64_t errors() const noexcept {
    return std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
  }
  std::uint64_t failed(failure kind) const noexcept {
    return failures[static_cast<std::size_t>(kind)];
  }
  /// All requests that were due.
  std::uint64_t intended() const noexcept { return sent + failed(failure::unsent); }
  void add(const outcomes& other) noexcept {
    sent += other.sent;
    answered += other.answered;
    std::ranges::transform(failures, other.failures, failures.begin(), std::plus<>{});
  }
};

/// The results of the requests of one part of a mix, of a flow, of a stage, or of all.
struct tally : outcomes {
  /// How often requests were resent after a 503. The earlier replies count nowhere else.
  std::uint64_t repeated = 0;
  /// Complete replies by status, including errors.
  std::map<int, std::uint64_t> by_status;
  /// The first failure of each kind, in words of printable ASCII; empty if there was none.
  std::array<std::string, failure_kinds> examples;
  /// The time from when a request was due, or was sent if that was earlier, to the end of its
  /// reply, for every answered request. An error is recorded only if leaving it out would hide a
  /// long wait: if it waited for at least the timeout, was not sent or was abandoned. It is then
  /// recorded with the time that it waited.
  latency_histogram latency;
  late_sends late;

  void fail(failure kind, std::string_view example) {
    const auto at = static_cast<std::size_t>(kind);
    if (failures[at]++ > 0) return;
    examples[at] = example;
    // Nothing from a server may control the terminal.
    std::ranges::replace_if(
        examples[at], [](unsigned char byte) { return byte < 0x20 || byte > 0x7e; }, '?');
  }

  void add(const tally& other) {
    outcomes::add(other);
    repeated += other.repeated;
    for (const auto& [status, count] : other.by_status)
      by_status[status] += count;
    for (std::size_t i = 0; i < failure_kinds; ++i)
      if (examples[i].empty()) examples[i] = other.examples[i];
    latency.add(other.latency);
    late.add(other.late);
  }
};

/// What happened to one part of the mix in an interval.
template <class Latency>
struct part_of_interval : outcomes {
  Latency latency;
};

/// One second of a run, ramp included; longer in runs of more than an hour, and the last one may be
/// shorter.
struct moment : latency_summary, outcomes {
  /// Its beginning and end, in seconds since the load began.
  double begins = 0;
  double seconds = 0;
  /// Whether all of it is after the ramp and before the end of sending.
  bool is_measured = false;
  std::vector<part_of_interval<band_counts>> parts;
};

/// Adds to each of a list; makes the list as long as the other if it is empty.
template <class Each>
void add_all(std::vector<Each>& to, const std::vector<Each>& more) {
  to.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i)
    to[i].add(more[i]);
}

/// The results of a run, or of one of its threads.
struct results {
  /// The tally of all requests, then the tally of each row: a part of the mix, or a step of a flow.
  tally all;
  std::vector<tally> parts;
  /// Each flow as a whole: `sent` counts started walks, `answered` completed ones.
  std::vector<tally> flows;
  /// All requests that were due in each stage of a run with stages, and what these stages were. A
  /// signal that ends the run shortens the last one.
  std::vector<tally> stages;
  std::vector<rate_stage> stage_shapes;
  /// `all.latency` without the time by which this program sent requests late.
  latency_histogram on_time;
  std::vector<moment> moments;
  /// When the load began, in milliseconds since 1970.
  std::int64_t began_ms = 0;
  /// From the end of the ramp to the end of sending, or to the last reply if that is later.
  double seconds = 0;
  /// The percentage of one core that the busiest thread used after the ramp.
  double busiest_thread_percent = 0;
  std::size_t unconnected = 0;
  /// TCP segments with requests that this machine resent because they were lost; includes the ramp,
  /// but not connections that had one request each.
  std::uint64_t resent_segments = 0;
  bool stopped_early = false;

  double requests_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(all.answered) / seconds : 0;
  }
  /// Adds what another thread counted. Both must have the same parts, unless this one has none yet.
  void add(const results& other) {
    for (const auto& part : other.parts)
      all.add(part);
    add_all(parts, other.parts);
    add_all(flows, other.flows);
    add_all(stages, other.stages);
    on_time.add(other.on_time);
    seconds = std::max(seconds, other.seconds);
    busiest_thread_percent = std::max(busiest_thread_percent, other.busiest_thread_percent);
    unconnected += other.unconnected;
    resent_segments += other.resent_segments;
  }
};

/// What happened on one thread, or on all, since the last interval; ramp included. One thread.
struct interval {
  /// For all parts of the mix together, then for each.
  latency_histogram latency;
  std::vector<part_of_interval<latency_bands>> parts;

  /// Both must have the same number of parts, unless this one has none yet.
  void add(const interval& other) {
    latency.add(other.latency);
    parts.resize(other.parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].add(other.parts[i]);
      parts[i].latency.add(other.parts[i].latency);
    }
  }

  void clear() {
    latency.clear();
    std::ranges::fill(parts, part_of_interval<latency_bands>{});
  }

  /// The summary for reports. The caller sets `begins`, `seconds` and `is_measured`.
  moment summary() const {
    moment made;
    made.ns = summary_of(latency).ns;
    for (const auto& each : parts) {
      made.add(each);
      made.parts.push_back({each, each.latency.counts()});
    }
    return made;
  }
};

} // namespace matchcloud::load
