#include "load/arrivals.hpp"

#include <cmath>

namespace matchcloud::load {

arrivals::arrivals(const shape& of, double phase, std::uint64_t seed)
    : shape_{of}, engine_{seed}, expected_{phase} {}

std::chrono::nanoseconds arrivals::next() {
  if (shape_.kind == arrival_kind::poisson) {
    // A Poisson process whose rate changes is one of rate 1 on the axis of expected requests.
    expected_ += distance_(engine_);
    return when(expected_);
  }
  const auto now = when(expected_);
  expected_ += 1;
  return now;
}

std::chrono::nanoseconds arrivals::when(double expected) const {
  const double ramp = std::chrono::duration<double>{shape_.ramp}.count();
  // The integral of rate * t / ramp up to the end of the ramp.
  const double within_ramp = shape_.rate * ramp / 2;
  const double seconds = expected < within_ramp ? std::sqrt(2 * expected * ramp / shape_.rate)
                                                : ramp / 2 + expected / shape_.rate;
  return std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

} // namespace matchcloud::load
