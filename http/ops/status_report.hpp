#pragma once

#include "actors/region_ranking/region_ranking.hpp"
#include "actors/supervision/child_table.hpp"
#include "base/byte_budget.hpp"
#include "base/clock.hpp"
#include "http/loop/event_loop.hpp"
#include "http/transport/transport_metrics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::http {

/// Where the numbers of reports come from. All pointers must outlive them.
struct status_sources {
  /// Those of the data plane: one per event loop, or one for the httplib transport.
  std::vector<const transport_metrics*> transports;
  /// That of the ops plane.
  const transport_metrics* ops = nullptr;
  /// Those of the data plane.
  std::vector<const loop_metrics*> loops;
  const actors::child_table* children = nullptr;
  /// Whether faults can be injected.
  bool faults = false;
  const base::byte_budget* budget = nullptr;
  /// One per event loop; none where places are not counted.
  std::vector<const actors::place_counts*> places;
};

/// Says how the service is at the moment, as one line of JSON for watchers: whether it is ready,
/// connections, requests and answers of both planes, loops, memory, actors that do not run and
/// faults. Latencies and how busy loops are count from one report to the next. Any thread.
class status_meter {
public:
  explicit status_meter(const status_sources& of, const base::clock& clock = base::machine_clock());

  std::string report(bool is_ready);

  /// Loops and actors beyond so many are left out of a report.
  static constexpr std::size_t loops_limit = 32;
  static constexpr std::size_t problems_limit = 16;

private:
  using latency_counts = std::array<std::uint64_t, base::duration_histogram::bounds_ns.size() + 1>;

  latency_counts count_latencies() const;

  const status_sources& sources_;
  const base::clock& clock_;
  base::steady_time began_;
  std::mutex mutex_;
  /// At the report before.
  base::steady_time last_at_;
  latency_counts last_latencies_;
  std::vector<std::uint64_t> last_busy_ns_;
};

/// Where clients of the data plane came from lately, as JSON for operators, by the cells of
/// `actors::place_counts`. What counts as lately is at least `window` where somebody asked before,
/// and is said in the report. Any thread.
class place_report {
public:
  explicit place_report(std::vector<const actors::place_counts*> counted,
                        const base::clock& clock = base::machine_clock());

  std::string report();

  /// How long what was counted is kept as the begin of "lately".
  static constexpr std::chrono::minutes window{10};

private:
  using cells = std::array<std::uint64_t, actors::place_counts::size>;
  struct moment {
    base::steady_time at;
    cells counts{};
  };

  cells count() const;

  std::vector<const actors::place_counts*> counted_;
  const base::clock& clock_;
  std::mutex mutex_;
  /// What the report compares with, and what later ones will.
  moment before_;
  std::optional<moment> next_;
};

} // namespace matchcloud::http
