#include "http/ops/render_metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

namespace matchcloud::http {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

/// In the order of `base::metric_type`.
constexpr std::array prometheus_types{prometheus::MetricType::Counter,
                                      prometheus::MetricType::Gauge,
                                      prometheus::MetricType::Histogram};

using labels = std::vector<ClientMetric::Label>;

labels labels_of(std::initializer_list<base::metric_label> of) {
  labels all;
  for (const auto& each : of)
    if (!each.name.empty()) all.push_back({std::string{each.name}, std::string{each.value}});
  return all;
}

/// Adds to a histogram of Prometheus: cumulative buckets, in seconds.
void add(prometheus::ClientMetric::Histogram& to, const base::duration_buckets& durations) {
  constexpr double seconds_per_ns = 1e-9;
  const auto& bounds = base::duration_buckets::bounds_ns;
  to.bucket.resize(bounds.size() + 1);
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    cumulative += durations.counts[i];
    to.bucket[i].cumulative_count += cumulative;
    to.bucket[i].upper_bound = i < bounds.size() ? static_cast<double>(bounds[i]) * seconds_per_ns
                                                 : std::numeric_limits<double>::infinity();
  }
  to.sample_count += cumulative;
  to.sample_sum += static_cast<double>(durations.sum_ns) * seconds_per_ns;
}

void add(ClientMetric& to, const base::metric_value& value) {
  to.counter.value += value.number;
  to.gauge.value += value.number;
  if (value.durations) add(to.histogram, *value.durations);
}

} // namespace

std::string render_metrics(const base::metric_set& of) {
  std::map<std::string_view, std::map<labels, ClientMetric>> samples;
  std::vector<MetricFamily> families;
  for (const auto& [type, text, read] : of.metrics()) {
    auto [at, is_new] = samples.try_emplace(text.name);
    if (is_new)
      families.push_back({std::string{text.name},
                          std::string{text.help},
                          prometheus_types[static_cast<std::size_t>(type)],
                          {}});
    read([&, &into = at->second, &shows_zero = text.shows_zero](auto with, const auto& value) {
      if (shows_zero || value.number != 0) add(into[labels_of(with)], value);
    });
  }
  for (auto& family : families)
    for (auto& [with, sample] : samples[family.name]) {
      sample.label = with;
      family.metric.push_back(std::move(sample));
    }
  std::ostringstream out;
  prometheus::TextSerializer{}.Serialize(out, families);
  return out.str();
}

} // namespace matchcloud::http
