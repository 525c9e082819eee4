#pragma once

#include "base/metrics.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// What happens to a newcomer at a full bound.
enum class when_full : std::uint8_t {
  /// It is refused.
  refuse,
  /// It waits.
  wait,
  /// It replaces the oldest or the least used.
  evict,
  /// It shares a place with others.
  share,
};
inline constexpr std::array<std::string_view, 4> when_full_names{"refuse", "wait", "evict",
                                                                 "share"};

/// A bound of the service.
struct bound {
  std::string name;
  /// The metric that counts its use.
  std::string_view metric;
  /// Not 0.
  std::function<double()> limit;
  when_full then = when_full::refuse;
  /// The label of the metric's sample; without one, the sum of all samples.
  std::string_view label = {};
  /// The share from which on it needs attention, if it refuses.
  double nearly_full = 0.9;
  /// Whether each event loop has the limit for itself: then the loop that uses the most counts.
  bool is_per_loop = false;
};

/// How much of each bound is used, read from the metrics. Any thread.
class bound_use {
public:
  struct use {
    const bound* of = nullptr;
    /// 0 to 1, or more after a limit was lowered.
    double share = 0;
  };

  /// `of` outlives this, and has all that the bounds name once this is read.
  bound_use(const base::metric_set& of, std::vector<bound> bounds);

  /// The use of those bounds whose metric exists.
  std::vector<use> read() const;
  /// Adds the shares as one metric.
  void show(base::metric_set& in) const;

private:
  const base::metric_set& metrics_;
  std::vector<bound> bounds_;
};

} // namespace matchcloud::http
