#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

struct results;

/// A condition that a run must meet, such as `p99<5ms`.
struct assertion {
  /// The assertion as the user wrote it.
  std::string text;
  /// The measured value: `p99` (any percentile), `max`, `mean`, `errors`, a kind of failure such as
  /// `reset`, `late`, `sent`, `answered`, `repeated`, `rate`, or `status.503` (any status).
  std::string name;
  /// How the measured value is compared with `value`.
  std::function<bool(double, double)> compare;
  /// Nanoseconds for latencies, requests per second for `rate`, else a count.
  double value = 0;
};

/// Reads assertions separated by commas. Throws `base::failure` with `config_invalid`; the detail
/// names the wrong assertion and what is allowed.
std::vector<assertion> parse_assertions(std::string_view text);

/// Adds `errors=0` to assertions about latency that say nothing about errors: a refusal keeps no
/// promise.
void imply_no_errors(std::vector<assertion>& all);

/// The percentile that it is about; nothing for other values.
std::optional<double> percentile_of(const assertion& which);
bool holds(const assertion& which, const results& of);

/// The assertion with the run's value: `p99<5ms: 7.20 ms`.
std::string explain(const assertion& which, const results& of);

} // namespace matchcloud::load
