#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace matchcloud::load {

/// How requests are spread over time in an open loop.
enum class arrival_kind : std::uint8_t {
  /// At equal intervals.
  constant,
  /// Independent of each other, as those of many users are: the times between requests are
  /// exponentially distributed.
  poisson,
};

/// The times at which requests are to be sent, whatever happens to earlier requests. The rate rises
/// linearly from 0 during `ramp`, then stays constant. One thread.
class arrivals {
public:
  struct shape {
    arrival_kind kind = arrival_kind::constant;
    /// Requests per second; greater than 0.
    double rate = 0;
    std::chrono::nanoseconds ramp{0};
  };

  /// `phase`: the fraction (0 to 1) of the first interval that passes before the first request, so
  /// that several threads do not all send at once.
  arrivals(const shape& of, double phase, std::uint64_t seed);

  /// The intended time of the next request, since the start; never earlier than the previous one.
  std::chrono::nanoseconds next();

private:
  /// The time at which `expected` requests are due: the inverse of the expected number of requests
  /// since the start.
  std::chrono::nanoseconds when(double expected) const;

  shape shape_;
  std::mt19937_64 engine_;
  std::exponential_distribution<double> distance_{1.0};
  /// The expected number of requests since the start: until the next request for `constant`, until
  /// the last one for `poisson`.
  double expected_;
};

} // namespace matchcloud::load
