#pragma once

#include "load/charts/chart.hpp"
#include "load/reports/report_subject.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::load {

/// The frame of a chart over the time of a run, with its ramp and its stages.
chart_frame time_frame(const report_subject& about, std::string title, axis y);

/// The moments of a run that are long enough for meaningful rates and percentiles.
std::vector<const moment*> whole_moments(const results& of);

/// When the run ended, in seconds since the load began.
double end_of(const report_subject& about);

/// A duration in a table: `12.3 µs`.
std::string latency_text(std::uint64_t ns);

/// The least and the greatest added value, ignoring zeros, for an axis of latencies.
class latency_range {
public:
  void add(std::uint64_t ns) noexcept;
  axis as_axis(std::string title) const;

private:
  double least_ = 0;
  double most_ = 0;
};

} // namespace matchcloud::load
