#pragma once

#include "actors/reports/report_queries.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "http/ops/bound_use.hpp"
#include "http/ops/history_interval.hpp"
#include "http/ops/service_history.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// Something that needs attention.
struct attention_finding {
  actors::attention_severity severity = {};
  std::string cause;
  std::string what;
  /// A path of the ops plane.
  std::string look_at;
  std::optional<double> value = {};
};

/// Finds what needs attention, worst first: causes, each read from the metrics or the history, with
/// the path to look at. Any thread.
class attention {
public:
  /// A count that rose is a cause for this long.
  static constexpr std::chrono::minutes span{5};
  static constexpr std::chrono::seconds interval{10};

  /// All outlive this. `metrics` is complete.
  attention(const base::metric_set& metrics, const service_history& history,
            const bound_use& bounds, const base::clock& clock = base::machine_clock());

  /// Notes the current counts, unless that was done less than `interval` ago.
  void sample();
  std::vector<attention_finding> find(bool is_ready) const;
  /// The names of all causes that are checked here.
  std::vector<std::string_view> looked_for() const;

private:
  /// Of a cause.
  struct memory {
    /// Of its metric; nothing: the metric does not exist.
    std::optional<double> value;
    /// When the value last changed as the sign says.
    std::optional<base::steady_time> changed;
  };

  /// The value of each cause's metric, in their order.
  std::vector<std::optional<double>> read() const;
  /// What is remembered, with what has changed until now.
  std::vector<memory> remember() const;
  /// Whether no other process serves from the same store: what this one no longer does, another
  /// one may do.
  bool is_alone() const;
  static void find_slow(const history_interval& past, std::vector<attention_finding>& to);
  static void find_busy(const history_interval& past, std::vector<attention_finding>& to);
  void find_causes(std::vector<attention_finding>& to) const;

  const base::metric_set& metrics_;
  const service_history& history_;
  const bound_use& bounds_;
  const base::clock& clock_;
  mutable std::mutex mutex_;
  base::steady_time read_at_;
  std::vector<memory> remembered_;
};

/// Whether the time of a request shows how quick the service is: an operation of the data plane
/// whose time does not depend on the size of what it writes or sends.
bool is_served_quickly(operation which) noexcept;

/// As JSON: the findings, worst first, and the names of the causes that were checked.
std::string render_attention(std::vector<attention_finding> found,
                             const std::vector<std::string_view>& looked_for);

} // namespace matchcloud::http
