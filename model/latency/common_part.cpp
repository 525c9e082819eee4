#include "model/latency/common_part.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace matchcloud::model {

namespace {

/// The mean last mile of access networks; any value of this order will do.
constexpr double last_mile_ms = 8;
/// The error of the client's timers and scheduling.
constexpr double timer_ms = 1;
/// The density of a round trip that means nothing: all values up to 500 ms are equally probable.
constexpr double any_density = 1.0 / 500;
/// One in 20 values of honest reports is broken, for example by a lost packet.
constexpr double broken_share = 0.05;
/// One in 10 predictions is off by three times the expected deviation.
constexpr double surprise_share = 0.1;
constexpr double surprise = 3;
/// One in five reports is assumed to be a lie before it is read.
constexpr double lies_to_honest = 0.25;
/// How many of the nearest regions suggest a last mile to try, with which their values are exact.
constexpr std::size_t tried_regions = 5;

struct known_value {
  double measured_ms;
  double expected_ms;
  double deviation_ms;
  bool surprising;
};

double normal_density(double value, double deviation) noexcept {
  constexpr double factor = 0.3989422804;
  const double steps = value / deviation;
  return factor / deviation * std::exp(-0.5 * steps * steps);
}

double honest_density(const known_value& known, double common) noexcept {
  const double off = known.measured_ms - common - known.expected_ms;
  double density = normal_density(off, known.deviation_ms);
  if (known.surprising)
    density = (1 - surprise_share) * density +
              surprise_share * normal_density(off, known.deviation_ms * surprise);
  return (1 - broken_share) * density + broken_share * any_density;
}

double score_of(std::span<const known_value> values, double common) noexcept {
  double product = std::exp(-common / last_mile_ms) / last_mile_ms;
  double score = 0;
  for (const auto& each : values) {
    product *= honest_density(each, common) / any_density;
    if (product > 1e-200 && product < 1e200) continue;
    score += std::log(product);
    product = 1;
  }
  return score + std::log(product);
}

/// The last mile that moves the values to their expected ones, weighed by how exactly these are
/// known, without broken values.
double refined(std::span<const known_value> values, double common) noexcept {
  double sum = -1 / last_mile_ms;
  double weights = 0;
  for (const auto& each : values) {
    const double off = each.measured_ms - common - each.expected_ms;
    const double honest = (1 - broken_share) * normal_density(off, each.deviation_ms);
    const double weight =
        honest / (honest + broken_share * any_density) / (each.deviation_ms * each.deviation_ms);
    sum += weight * (each.measured_ms - each.expected_ms);
    weights += weight;
  }
  return weights > 1e-9 ? std::max(0.0, sum / weights) : common;
}

struct scored_common {
  double common = 0;
  double score = -std::numeric_limits<double>::infinity();
};

scored_common best_common(std::span<const known_value> values) noexcept {
  scored_common best{0, score_of(values, 0)};
  const auto attempt = [&](double common) {
    if (common <= 0) return;
    const double score = score_of(values, common);
    if (score > best.score) best = {common, score};
  };
  for (const auto& each : values.first(std::min(values.size(), tried_regions)))
    attempt(each.measured_ms - each.expected_ms);
  attempt(refined(values, best.common));
  return best;
}

known_value known_from(double measured, double expected, double variance, bool surprising) {
  const double relative = expected * std::sqrt(variance + jitter_share * jitter_share);
  return {measured, expected, std::hypot(relative, timer_ms), surprising};
}

} // namespace

report_judgement judge_report(std::span<const judged_latency> latencies) noexcept {
  constexpr std::size_t looked_at = 32;
  std::array<known_value, looked_at> by_prediction{};
  std::array<known_value, looked_at> by_cell{};
  const auto count = std::min(latencies.size(), looked_at);
  std::size_t in_cell = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& each = latencies[i];
    by_prediction[i] = known_from(each.measured_ms, each.predicted_ms, each.variance, true);
    const bool known = each.cell_ms > 0;
    in_cell += known ? 1 : 0;
    by_cell[i] = known ? known_from(each.measured_ms, each.cell_ms, each.cell_variance, false)
                       : by_prediction[i];
  }
  // The nearest are known most exactly in milliseconds.
  const auto order = [count](auto& values) {
    std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
              [](const auto& a, const auto& b) { return a.expected_ms < b.expected_ms; });
  };
  order(by_prediction);
  auto best = best_common(std::span{by_prediction}.first(count));
  if (2 * in_cell >= count && in_cell > 0) {
    order(by_cell);
    const auto other = best_common(std::span{by_cell}.first(count));
    if (other.score > best.score) best = other;
  }
  return {best.common, 1 / (1 + lies_to_honest * std::exp(-best.score))};
}

} // namespace matchcloud::model
