#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace matchcloud::load {

/// How requests are spread over time in an open loop.
enum class arrival_kind : std::uint8_t {
  /// At equal distances.
  constant,
  /// Independent of each other, as many users are: distances are exponentially distributed.
  poisson,
};

/// When requests are to be sent, whatever becomes of the earlier ones. The rate rises linearly from
/// nothing within `ramp`, then stays. One thread.
class arrivals {
public:
  struct shape {
    arrival_kind kind = arrival_kind::constant;
    /// Per second; greater than 0.
    double rate = 0;
    std::chrono::nanoseconds ramp{0};
  };

  /// `phase`, from 0 to 1: which part of the first distance goes by before the first request, so
  /// that several threads do not all send at once.
  arrivals(const shape& of, double phase, std::uint64_t seed);

  /// Since the beginning; every call is about the next request and never earlier than the last.
  std::chrono::nanoseconds next();

private:
  /// The inverse of how many are expected since the beginning.
  std::chrono::nanoseconds when(double expected) const;

  shape shape_;
  std::mt19937_64 engine_;
  std::exponential_distribution<double> distance_{1.0};
  /// How many requests are expected until the last one.
  double expected_;
};

} // namespace matchcloud::load
