#pragma once

#include "load/options.hpp"
#include "load/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::load {

/// A second of a run, ramp included; the last one may be shorter.
struct moment {
  /// Since the load began.
  double seconds = 0;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t errors = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
};

/// What came of a run.
struct results {
  /// The whole mix, and each of its parts.
  tally all;
  std::vector<tally> parts;
  std::vector<moment> moments;
  /// From the end of the ramp to the end of sending, or to the last reply where that is later.
  double seconds = 0;
  /// Of one core, of the thread that was busiest; behind the ramp.
  double busiest_thread_percent = 0;
  std::size_t unconnected = 0;
  bool stopped_early = false;

  double requests_per_second() const noexcept;
};

/// What limited the numbers, in words, where it was not the server: empty where nothing points to
/// that.
std::string bottleneck(const results& of);

/// For people.
std::string text_report(const options& asked, const results& of);
/// For programs; the README lists the members.
std::string json_report(const options& asked, const results& of);
/// The percentile distribution of all latencies in microseconds, as HdrHistogram prints it and its
/// plotters read it.
std::string hdr_report(const latency_histogram& of);

/// `730 ns`, `12.3 us`, `4.56 ms`, `7.89 s`.
std::string duration_text(double ns);

} // namespace matchcloud::load
