#include "model/latency/running_median.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace matchcloud::model {

namespace {

constexpr double log_steps = 4'096;
constexpr double weight_steps = 256;
/// Quartiles of a normal distribution are this many standard deviations apart.
constexpr double quartiles_apart = 1.349;

/// What the two points lose by being joined: their weights' part of the variance.
double loss_of(double weight_a, double value_a, double weight_b, double value_b) noexcept {
  const double apart = value_a - value_b;
  return weight_a * weight_b / (weight_a + weight_b) * apart * apart;
}

} // namespace

void running_median::add(double value, double weight) noexcept {
  const double bounded = std::clamp(value, lowest, highest);
  struct wide_point {
    double value = 0;
    double weight = 0;
  };
  const wide_point added{std::log(bounded / lowest) * log_steps,
                         std::min(std::round(weight * weight_steps), weight_steps)};
  if (!(added.weight > 0)) return;
  if (const double kept = weight_limit * weight_steps - added.weight - point_limit; total() > kept)
    fade(kept / total());
  std::array<wide_point, point_limit + 1> all{};
  std::size_t count = 0;
  for (const auto& each : points_)
    if (each.weight != 0)
      all[count++] = {static_cast<double>(each.value), static_cast<double>(each.weight)};
  auto* const end = all.data() + count;
  auto* const place = std::upper_bound(all.data(), end, added.value,
                                       [](double a, const wide_point& b) { return a < b.value; });
  std::move_backward(place, end, end + 1);
  *place = added;
  if (++count > point_limit) {
    std::size_t least = 0;
    double least_loss = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const double loss = loss_of(all[i].weight, all[i].value, all[i + 1].weight, all[i + 1].value);
      if (loss < least_loss) least_loss = loss, least = i;
    }
    auto& into = all[least];
    const auto& from = all[least + 1];
    into.value =
        (into.value * into.weight + from.value * from.weight) / (into.weight + from.weight);
    into.weight += from.weight;
    std::move(all.begin() + static_cast<std::ptrdiff_t>(least) + 2, all.end(),
              all.begin() + static_cast<std::ptrdiff_t>(least) + 1);
    --count;
  }
  for (std::size_t i = 0; i < count; ++i)
    points_[i] = {static_cast<std::uint16_t>(std::lround(all[i].value)),
                  static_cast<std::uint16_t>(std::lround(all[i].weight))};
}

void running_median::fade(double factor) noexcept {
  for (auto& each : points_)
    each.weight = static_cast<std::uint16_t>(std::lround(each.weight * factor));
  std::stable_partition(points_.begin(), points_.end(),
                        [](const point& each) { return each.weight != 0; });
}

double running_median::total() const noexcept {
  double sum = 0;
  for (const auto& each : points_)
    sum += each.weight;
  return sum;
}

double running_median::weight() const noexcept {
  return total() / weight_steps;
}

double running_median::quantile(double share) const noexcept {
  // A point's weight is spread evenly to the middles between it and its neighbours.
  const double wanted = share * total();
  double below = 0;
  double at_middle = 0;
  double before = 0;
  for (std::size_t i = 0; i < point_limit && points_[i].weight != 0; ++i) {
    const double middle = below + points_[i].weight / 2.0;
    if (middle >= wanted) {
      if (i == 0) return points_[i].value;
      const double part = (wanted - at_middle) / (middle - at_middle);
      return before + part * (points_[i].value - before);
    }
    below += points_[i].weight;
    at_middle = middle;
    before = points_[i].value;
  }
  return before;
}

double running_median::mean_between(double low, double high) const noexcept {
  const double all = total();
  double sum = 0;
  double counted = 0;
  double below = 0;
  for (const auto& each : points_) {
    const double part = std::min(below + each.weight, high * all) - std::max(below, low * all);
    below += each.weight;
    if (part <= 0) continue;
    sum += part * each.value;
    counted += part;
  }
  return counted > 0 ? sum / counted : 0;
}

double running_median::median() const noexcept {
  return empty() ? 0 : lowest * std::exp(quantile(0.5) / log_steps);
}

double running_median::middle() const noexcept {
  return empty() ? 0 : lowest * std::exp(mean_between(0.25, 0.75) / log_steps);
}

double running_median::spread() const noexcept {
  if (empty() || points_[1].weight == 0) return 0;
  return (quantile(0.75) - quantile(0.25)) / log_steps / quartiles_apart;
}

} // namespace matchcloud::model
