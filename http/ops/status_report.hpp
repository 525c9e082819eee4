#pragma once

#include "actors/region_ranking/region_ranking.hpp"
#include "base/clock.hpp"
#include "http/ops/history_interval.hpp"
#include "http/ops/status_sources.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::http {

/// Reports the current state of the service, as one line of JSON for watchers: whether it is ready,
/// connections, requests and answers of both planes, loops, memory, actors that do not run and
/// faults. Any thread.
class status_meter {
public:
  explicit status_meter(const status_sources& of, const base::clock& clock = base::machine_clock());

  /// Takes latencies and the load of loops from `latest`.
  std::string report(bool is_ready, const history_interval& latest) const;

  /// Loops and actors beyond these numbers are left out of a report.
  static constexpr std::size_t loops_limit = 32;
  static constexpr std::size_t problems_limit = 16;

private:
  const status_sources& sources_;
  const base::clock& clock_;
  base::steady_time began_;
};

/// Where recent clients of the data plane came from, as JSON for operators, by the cells of
/// `actors::place_counts`. The report says how far back it reaches: at least `window`, if there was
/// a report before. Any thread.
class place_report {
public:
  explicit place_report(std::vector<const actors::place_counts*> counted,
                        const base::clock& clock = base::machine_clock());

  std::string report();

  /// How long a moment is kept as the beginning of a report.
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
