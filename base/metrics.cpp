#include "base/metrics.hpp"

#include <utility>

namespace matchcloud::base {

void metric_set::add(metric_type type, const metric_text& text, reader read) {
  if (!text.name.empty()) metrics_.push_back({type, text, std::move(read)});
}

void metric_set::add_counter(const metric_text& text, std::function<double()> number,
                             const metric_label& label) {
  add(metric_type::counter, text,
      [number = std::move(number), label](const sink& to) { to({label}, {number()}); });
}

void metric_set::add_gauge(const metric_text& text, std::function<double()> number) {
  add(metric_type::gauge, text,
      [number = std::move(number)](const sink& to) { to({}, {number()}); });
}

void metric_set::add(const metric_set& other) {
  metrics_.insert(metrics_.end(), other.metrics_.begin(), other.metrics_.end());
}

} // namespace matchcloud::base
