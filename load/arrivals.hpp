#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// How requests are spread over time in an open loop.
enum class arrival_kind : std::uint8_t {
  /// At equal intervals.
  constant,
  /// Independent of each other, like the requests of many users: the times between requests are
  /// exponentially distributed.
  poisson,
};

/// A part of a run in which the rate rises or falls evenly, or stays constant.
struct rate_stage {
  /// The name in reports.
  std::string name;
  /// Requests per second at the beginning and at the end; at least 0.
  double from = 0;
  double to = 0;
  /// Greater than 0.
  std::chrono::nanoseconds length{0};
};

/// The times at which requests are due, regardless of what happens to earlier requests. The rate
/// rises linearly from 0 during `ramp`, then stays constant or follows `stages`. One thread.
class arrivals {
public:
  struct shape {
    arrival_kind kind = arrival_kind::constant;
    /// Requests per second; greater than 0.
    double rate = 0;
    std::chrono::nanoseconds ramp{0};
    /// The stages after the ramp, which replace `rate`; after the last one, its rate stays. If
    /// empty, `rate` applies.
    std::vector<rate_stage> stages{};

    /// Returns this shape with all rates multiplied.
    shape times(double factor) const;
  };

  /// `phase`: the fraction (0 to 1) of the first interval that passes before the first request, so
  /// that several threads do not all send at once.
  arrivals(const shape& of, double phase, std::uint64_t seed)
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

  /// Uses the given times, the earliest first.
  explicit arrivals(std::vector<std::chrono::nanoseconds> times) : times_{std::move(times)} {}

  /// The result of `next` when no request is left, because the last stage ended with the rate 0 or
  /// the given times are over.
  static constexpr std::chrono::nanoseconds never = std::chrono::days{365};

  /// The intended time of the next request, since the start; never earlier than the previous one.
  std::chrono::nanoseconds next() {
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

private:
  /// A span of time in which the rate changes evenly.
  struct span {
    /// In seconds since the start.
    double begin = 0;
    /// Requests per second at its beginning, and their change per second.
    double rate = 0;
    double slope = 0;
    /// The expected number of requests from the start to its beginning and to its end.
    double before = 0;
    double until = 0;
  };

  void append(double from, double to, double seconds) {
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

  /// The time at which `expected` requests are due: the inverse of the expected number of requests
  /// since the start, which is the integral of the rate. `expected` never falls.
  std::chrono::nanoseconds when(double expected) {
    while (current_ < spans_.size() && expected >= spans_[current_].until)
      ++current_;
    if (current_ == spans_.size()) return never;
    const auto& in = spans_[current_];
    const double more = expected - in.before;
    // The root of rate * t + slope / 2 * t^2 = more, in the form that loses no digits and also
    // works without a slope.
    const double root =
        in.slope == 0 ? in.rate : std::sqrt(std::max(0.0, in.rate * in.rate + 2 * in.slope * more));
    const double within = more == 0 ? 0 : 2 * more / (in.rate + root);
    // At a rate near 0, the next request may be due later than nanoseconds can express.
    constexpr double latest = std::chrono::duration<double>{never}.count();
    const double at = in.begin + within;
    return at < latest ? std::chrono::nanoseconds{static_cast<std::int64_t>(at * 1e9)} : never;
  }

  arrival_kind kind_ = arrival_kind::constant;
  std::optional<std::vector<std::chrono::nanoseconds>> times_;
  std::size_t next_time_ = 0;
  std::vector<span> spans_;
  /// The end of the last span, in seconds since the start.
  double ends_ = 0;
  /// The span of the last request.
  std::size_t current_ = 0;
  std::mt19937_64 engine_;
  std::exponential_distribution<double> distance_{1.0};
  /// The expected number of requests since the start: until the next request for `constant`, until
  /// the last one for `poisson`.
  double expected_ = 0;
};

/// The highest rate of requests per second.
inline constexpr double rate_limit = 10'000'000;
/// The limit on stages in a run, because each has its own counts of half a megabyte per thread.
inline constexpr std::size_t stages_limit = 64;

/// Reads stages separated by commas or line breaks: `1k:10s, ramp=1k..5k:30s`. The name of a stage
/// without one is its text. Throws `base::failure` with `config_invalid`; the detail names the
/// wrong stage and what to write.
std::vector<rate_stage> read_stages(std::string_view text);

/// The length of all stages together.
std::chrono::nanoseconds length_of(const std::vector<rate_stage>& stages) noexcept;
/// The highest rate of all stages, in requests per second.
double peak_of(const std::vector<rate_stage>& stages) noexcept;

} // namespace matchcloud::load
