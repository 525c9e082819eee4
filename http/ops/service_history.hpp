#pragma once

#include "actors/reports/report_queries.hpp"
#include "base/clock.hpp"
#include "base/expected.hpp"
#include "http/ops/history_interval.hpp"
#include "http/ops/status_sources.hpp"
#include "model/json/json_writer.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace matchcloud::http {

/// What this process has done: the last hour by the second and the last day by the minute, in
/// memory. Beyond the memory limit, the oldest seconds become parts of ten seconds, and then the
/// oldest parts are dropped. Any thread.
class service_history {
public:
  static constexpr std::size_t limit_bytes = 16UL * 1024 * 1024;
  static constexpr std::chrono::hours seconds_kept{1};
  static constexpr std::chrono::hours minutes_kept{24};
  /// The most parts of an answer.
  static constexpr std::size_t points_limit = 3'600;

  /// `of` outlives this.
  explicit service_history(const status_sources& of,
                           const base::clock& clock = base::machine_clock(),
                           std::size_t limit = limit_bytes);

  /// Notes what happened since the last call. Call it about once a second.
  void sample();
  /// What the last sample noted.
  history_interval latest() const;
  /// What happened in the last seconds, at most `seconds_kept`.
  history_interval past(std::chrono::seconds of_last) const;
  /// The past as JSON. Fails with `query_invalid`.
  base::expected<std::string> report(const actors::past_query& wanted) const;

  std::size_t used_bytes() const;

private:
  /// A part of the past, packed.
  struct slice {
    std::int64_t begin_ms = 0;
    std::int64_t end_ms = 0;
    std::string packed;

    std::size_t bytes() const noexcept { return sizeof *this + packed.capacity(); }
  };
  using slices = std::deque<slice>;

  /// What was counted since the process began.
  struct totals {
    std::vector<std::uint64_t> counts;
    std::vector<std::uint64_t> busy_ns;
    /// By operation; `latencies` is empty if there was no request.
    std::vector<std::array<std::uint64_t, 6>> answers;
    std::vector<std::vector<std::uint64_t>> latencies;
  };

  history_interval count();
  void count_operations(history_interval& into);
  /// Calls `visit` with each transport that counts an operation's requests.
  template <class Visit>
  void for_each_transport(operation which, const Visit& visit) const;
  void append(slices& to, const history_interval& what);
  void drop_front(slices& of);
  void shrink();
  void write(model::json_writer& json, const history_interval& of) const;
  /// Calls `visit(slice)` for what is kept of a span, in order, each instant once.
  template <class Visit>
  void visit(std::int64_t from_ms, std::int64_t to_ms, const Visit& visit) const;

  const status_sources& sources_;
  const base::clock& clock_;
  std::size_t limit_;
  mutable std::mutex mutex_;
  totals last_;
  history_interval latest_;
  /// The current minute.
  history_interval minute_;
  slices seconds_;
  slices minutes_;
  /// The first of `seconds_`, which are parts of ten seconds.
  std::size_t merged_ = 0;
  std::size_t bytes_ = 0;
};

/// Memory of this process.
std::uint64_t resident_bytes();
/// Writes the member `latency_us`.
void write_latency(model::json_writer& json, const latency_spread& of);
/// Writes how much of a part a loop of the data plane worked, 0 to 1.
void write_busy(model::json_writer& json, const history_interval& of, std::size_t loop);

} // namespace matchcloud::http
