#include "load/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace matchcloud::load {

arrivals::shape arrivals::shape::times(double factor) const {
  auto made = *this;
  made.rate *= factor;
  for (auto& each : made.stages) {
    each.from *= factor;
    each.to *= factor;
  }
  return made;
}

arrivals::arrivals(const shape& of, double phase, std::uint64_t seed)
    : kind_{of.kind}, engine_{seed}, expected_{phase} {
  const auto seconds = [](std::chrono::nanoseconds length) {
    return std::chrono::duration<double>{length}.count();
  };
  if (of.ramp.count() > 0)
    append(0, of.stages.empty() ? of.rate : of.stages.front().from, seconds(of.ramp));
  for (const auto& each : of.stages)
    append(each.from, each.to, seconds(each.length));
  const auto last = of.stages.empty() ? of.rate : of.stages.back().to;
  append(last, last, std::numeric_limits<double>::infinity());
}

arrivals::arrivals(std::vector<std::chrono::nanoseconds> times) : times_{std::move(times)} {}

void arrivals::append(double from, double to, double seconds) {
  span made;
  if (!spans_.empty()) {
    made.begin = ends_;
    made.before = spans_.back().until;
  }
  made.rate = from;
  made.slope = std::isinf(seconds) ? 0 : (to - from) / seconds;
  // If the last stage ends at rate 0, no request follows it.
  made.until = made.before + (from + to == 0 ? 0 : (from + to) / 2 * seconds);
  ends_ = made.begin + seconds;
  spans_.push_back(made);
}

std::chrono::nanoseconds arrivals::next() {
  if (times_) return next_time_ < times_->size() ? (*times_)[next_time_++] : never;
  if (kind_ == arrival_kind::poisson) {
    // A Poisson process with a changing rate has rate 1 on the axis of expected requests.
    expected_ += distance_(engine_);
    return when(expected_);
  }
  const auto now = when(expected_);
  expected_ += 1;
  return now;
}

std::chrono::nanoseconds arrivals::when(double expected) {
  while (current_ < spans_.size() && expected >= spans_[current_].until)
    ++current_;
  if (current_ == spans_.size()) return never;
  const auto& in = spans_[current_];
  const double more = expected - in.before;
  // The root of rate * t + slope / 2 * t^2 = more, in the form that loses no digits and also works
  // without a slope.
  const double root =
      in.slope == 0 ? in.rate : std::sqrt(std::max(0.0, in.rate * in.rate + 2 * in.slope * more));
  const double within = more == 0 ? 0 : 2 * more / (in.rate + root);
  // At a rate near 0, the next request may be due later than nanoseconds can express.
  constexpr double latest = std::chrono::duration<double>{never}.count();
  const double at = in.begin + within;
  return at < latest ? std::chrono::nanoseconds{static_cast<std::int64_t>(at * 1e9)} : never;
}

} // namespace matchcloud::load
