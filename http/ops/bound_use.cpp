#include "http/ops/bound_use.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace matchcloud::http {

bound_use::bound_use(const base::metric_set& of, std::vector<bound> bounds)
    : metrics_{of}, bounds_{std::move(bounds)} {}

std::vector<bound_use::use> bound_use::read() const {
  std::vector<std::optional<double>> used(bounds_.size());
  for (const auto& metric : metrics_.metrics())
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const auto& of = bounds_[i];
      if (metric.text.name != of.metric) continue;
      std::optional<double> here; // in one loop's part of the metric
      metric.read([&](auto labels, const base::metric_value& value) {
        const auto is_its = [&](const base::metric_label& each) { return each.value == of.label; };
        if (of.label.empty() || std::ranges::any_of(labels, is_its))
          here = here.value_or(0) + value.number;
      });
      if (!here) continue;
      used[i] = of.is_per_loop ? std::max(used[i].value_or(0), *here) : used[i].value_or(0) + *here;
    }
  std::vector<use> made;
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    if (used[i]) made.push_back({&bounds_[i], *used[i] / bounds_[i].limit()});
  return made;
}

void bound_use::show(base::metric_set& in) const {
  in.add(base::metric_type::gauge,
         {"matchcloud_bound_used_ratio",
          "The share of a bound that is used, 0 to 1, and what happens when it is full."},
         [this](const base::metric_set::sink& to) {
           for (const auto& [of, share] : read())
             to({{"bound", of->name},
                 {"when_full", when_full_names[static_cast<std::size_t>(of->then)]}},
                {share});
         });
}

} // namespace matchcloud::http
