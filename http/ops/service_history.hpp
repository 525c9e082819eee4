#pragma once

#include "actors/region_ranking/region_ranking.hpp"
#include "actors/reports/report_queries.hpp"
#include "actors/supervision/child_table.hpp"
#include "base/byte_budget.hpp"
#include "base/clock.hpp"
#include "base/expected.hpp"
#include "http/loop/event_loop.hpp"
#include "http/ops/history_interval.hpp"
#include "http/transport/transport_metrics.hpp"
#include "model/json/record.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// A number that only grows, in the service's history.
struct history_count {
  /// Has static storage duration.
  std::string_view name;
  /// Any thread.
  std::function<std::uint64_t()> total;
};

/// The sources of the numbers in reports. All pointers must outlive the reports.
struct status_sources {
  /// The data plane's: one per event loop.
  std::vector<const transport_metrics*> transports;
  /// The ops plane's.
  const transport_metrics* ops = nullptr;
  /// The data plane's.
  std::vector<const loop_metrics*> loops;
  /// How long each of them has waited for a processor, in nanoseconds. Any thread.
  std::vector<std::function<std::uint64_t()>> loop_waits;
  const actors::child_table* children = nullptr;
  /// Whether faults can be injected.
  bool faults = false;
  const base::byte_budget* budget = nullptr;
  std::vector<history_count> counts;
  /// One per event loop; empty if places are not counted.
  std::vector<const actors::place_counts*> places;
};

/// The requests of a plane, in reports.
struct request_summary : operation_interval {
  latency_spread refusals;
};

constexpr auto describe(const request_summary*) {
  using namespace model::types;
  return record{
      "RequestSummary",
      std::tuple_cat(request_fields(),
                     std::tuple{field{"refusals_us", a("LatencySummary"), "How long refusals took.",
                                      &request_summary::refusals}})}
      .open();
}

/// The requests of an operation, in reports.
struct operation_summary : operation_interval {
  plane_operation what;
};

constexpr auto describe(const operation_summary*) {
  using of = operation_summary;
  using namespace model::types;
  return record{
      "OperationSummary",
      std::tuple_cat(std::tuple{field{"operation", text,
                                      "Its name, or `unmatched`: requests that match no operation.",
                                      [](const of& one) { return row_of(one.what.id).name; }},
                                field{"plane", a("Plane"), "Whose requests these are.",
                                      [](const of& one) {
                                        return plane_names[static_cast<std::size_t>(one.what.of)];
                                      }}},
                     request_fields())}
      .open();
}

/// A share with three digits, at most 1.
double rounded_share(double share);

/// A part of the past, in reports.
struct history_point : history_interval {
  /// What `counts` count.
  std::span<const history_count> names = {};

  std::int64_t covers_ms() const noexcept { return end_ms - begin_ms; }
  std::vector<double> shares_of(const std::vector<std::uint64_t>& us) const;
  std::vector<std::pair<std::string_view, std::uint64_t>> named_counts() const;
  std::vector<operation_summary> summaries() const;
};

constexpr auto describe(const history_point*) {
  using of = history_point;
  using namespace model::types;
  return record{
      "HistoryPoint",
      field{"at", count, "When it begins, in milliseconds since 1970 by the clock of that time.",
            &of::at_ms},
      field{"covers_ms", count, "Milliseconds of it that were observed.", &of::covers_ms},
      field{"connections", count, "The most connections of the data plane, sampled once a second.",
            &of::connections},
      field{"in_flight", count, "The most waiting data plane requests, sampled once a second.",
            &of::in_flight},
      field{"resident_bytes", count, "The most memory of the process.", &of::resident_bytes},
      field{"loops", list_of(share),
            "The share of time in which each event loop of the data plane worked.",
            [](const of& one) { return one.shares_of(one.busy_us); }},
      field{"loops_waiting", list_of(share),
            "The share of time in which each waited for a processor.",
            [](const of& one) { return one.shares_of(one.waited_us); }},
      field{"counts",
            {R"("type":"object","additionalProperties":{"type":"integer","minimum":0})"},
            "How often events happened, by name.",
            &of::named_counts},
      field{"data_plane", a("RequestSummary"), "All requests of the data plane.",
            [](const of& one) {
              return request_summary{one.sum_of(plane::data), one.refusals};
            }},
      field{"operations", list_of(a("OperationSummary")), "The operations that had requests.",
            &of::summaries}};
}

/// The answer about the past.
struct reported_past {
  std::int64_t from_ms = 0;
  std::int64_t to_ms = 0;
  std::int64_t step_s = 1;
  std::vector<history_point> points = {};
};

constexpr auto describe(const reported_past*) {
  using of = reported_past;
  using namespace model::types;
  return record{"ServiceHistory", field{"from", count, "Milliseconds since 1970.", &of::from_ms},
                field{"to", count, "Milliseconds since 1970.", &of::to_ms},
                field{"step_s",
                      {R"("type":"integer","minimum":1,"maximum":3600)"},
                      "Seconds from one point to the next.",
                      &of::step_s},
                field{"points", list_of(a("HistoryPoint")),
                      "Oldest first. There is no point where nothing is known.", &of::points}};
}

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

} // namespace matchcloud::http
