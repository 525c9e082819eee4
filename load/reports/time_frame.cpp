#include "load/reports/time_frame.hpp"

#include "load/duration.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace matchcloud::load {

namespace {

double seconds_of(std::chrono::nanoseconds length) {
  return std::chrono::duration<double>{length}.count();
}

} // namespace

double end_of(const report_subject& about) {
  const auto& moments = about.of->moments;
  return moments.empty() ? seconds_of(about.asked->ramp) + about.of->seconds
                         : moments.back().seconds;
}

chart_frame time_frame(const report_subject& about, std::string title, axis y) {
  chart_frame made;
  made.title = std::move(title);
  const double end = end_of(about);
  made.x = time_axis(end > 120 ? "time since the load began (minutes:seconds)"
                               : "time since the load began (s)",
                     end);
  made.y = std::move(y);
  made.shaded = {0, seconds_of(about.asked->ramp)};
  made.shaded_name = "ramp";
  double begins = seconds_of(about.asked->ramp);
  for (const auto& each : about.of->stages) {
    made.marks.emplace_back(begins, each.which.name);
    begins += seconds_of(each.which.length);
  }
  return made;
}

std::string latency_text(std::uint64_t ns) {
  auto text = duration_text(static_cast<double>(ns));
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "\u00b5");
  return text;
}

std::vector<const moment*> whole_moments(const results& of) {
  double longest = 0;
  for (const auto& each : of.moments)
    longest = std::max(longest, each.seconds - each.begins);
  std::vector<const moment*> made;
  for (const auto& each : of.moments)
    if (each.seconds - each.begins >= longest / 2) made.push_back(&each);
  return made;
}

void latency_range::add(std::uint64_t ns) noexcept {
  if (ns == 0) return;
  const auto value = static_cast<double>(ns);
  least_ = least_ == 0 ? value : std::min(least_, value);
  most_ = std::max(most_, value);
}

axis latency_range::as_axis(std::string title) const {
  return latency_axis(std::move(title), least_ == 0 ? 1e3 : least_, most_ == 0 ? 1e6 : most_);
}

} // namespace matchcloud::load
