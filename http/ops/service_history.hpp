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
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// What this process has done: the last hour by the second and the last day by the minute, in
/// memory. Beyond the memory limit, the oldest fine parts are dropped, of which coarser ones are
/// kept: ten minutes remain by the second and an hour by the minute. Then the oldest parts are
/// dropped, and then seconds. Any thread.
class service_history {
public:
  static constexpr std::size_t limit_bytes = 16UL * 1024 * 1024;
  static constexpr std::chrono::hours kept{24};
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
  /// What happened in the last seconds, at most an hour.
  history_interval past(std::chrono::seconds of_last) const;
  /// The past as JSON. Fails with `query_invalid`.
  base::expected<std::string> report(const actors::past_query& wanted) const;

  std::size_t used_bytes() const;
  const status_sources& sources() const noexcept { return sources_; }

private:
  /// Parts of one length, the oldest first. The last one still grows.
  struct level {
    std::int64_t length_ms = 0;
    std::int64_t kept_ms = 0;
    /// As many parts remain when memory is short, so that the next level covers what is dropped.
    std::size_t least = 1;
    std::deque<history_interval> parts = {};

    std::int64_t number_of(std::int64_t at_ms) const noexcept { return at_ms / length_ms; }
  };

  /// What was counted since the process began.
  struct totals {
    std::vector<std::uint64_t> counts;
    std::vector<std::uint64_t> busy_ns;
    std::vector<std::uint64_t> waited_ns;
    std::map<plane_operation, answer_counts> answers;
    /// By bucket; empty if there was no request.
    std::map<plane_operation, std::vector<std::uint64_t>> latencies;
    std::vector<std::uint64_t> refusals;
  };

  /// On the clock of `history_interval`.
  std::int64_t now_ms() const;
  history_interval count();
  void count_operation(const plane_operation& which, history_interval& into);
  /// The transports that serve a plane.
  std::span<const transport_metrics* const> transports_of(plane which) const;
  void append(level& to);
  /// Drops all oldest parts that one part of the next level covers, but keeps the last one.
  void drop_front(std::size_t at);
  /// Drops what is needed least. Returns whether there was something to drop.
  bool shrink();
  void write(model::json_writer& json, const history_interval& of) const;
  /// Calls `visit(history_interval)` for what is kept, in order, each instant once.
  template <class Visit>
  void visit(const Visit& visit) const;

  const status_sources& sources_;
  const base::clock& clock_;
  /// Of the steady clock, in milliseconds since 1970 when this began.
  const std::int64_t epoch_ms_;
  std::size_t limit_;
  mutable std::mutex mutex_;
  totals last_;
  history_interval latest_;
  /// From fine to coarse. The first has a part for each sample.
  std::array<level, 3> levels_{level{1, 3'600'000, 660}, level{60'000, 86'400'000, 70},
                               level{600'000, 86'400'000, 1}};
  std::size_t bytes_ = 0;
};

/// Memory of this process.
std::uint64_t resident_bytes();
/// Writes the member `answers`.
void write_answers(model::json_writer& json, const answer_counts& of);
void write_latency(model::json_writer& json, std::string_view name, const latency_spread& of);
/// Writes a share with three digits, at most 1.
void write_share(model::json_writer& json, double share);

} // namespace matchcloud::http
