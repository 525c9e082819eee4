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

/// What two points lose by being joined: their weighted part of the variance.
double loss_of(double weight_a, double value_a, double weight_b, double value_b) noexcept {
  const double apart = value_a - value_b;
  return weight_a * weight_b / (weight_a + weight_b) * apart * apart;
}

struct wide_point {
  double value = 0;
  double weight = 0;
};

/// The points of at most two medians, in ascending order of value.
class wide_points {
public:
  void insert(wide_point added) noexcept {
    auto* const end = all_.data() + count_;
    auto* const place = std::upper_bound(all_.data(), end, added.value,
                                         [](double a, const wide_point& b) { return a < b.value; });
    std::move_backward(place, end, end + 1);
    *place = added;
    ++count_;
  }

  /// Joins neighbours until `limit` points are left.
  void join(std::size_t limit) noexcept {
    while (count_ > limit)
      join_closest();
  }

  std::span<const wide_point> get() const noexcept { return std::span{all_}.first(count_); }

private:
  void join_closest() noexcept {
    std::size_t least = 0;
    double least_loss = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < count_; ++i) {
      const double loss =
          loss_of(all_[i].weight, all_[i].value, all_[i + 1].weight, all_[i + 1].value);
      if (loss < least_loss) least_loss = loss, least = i;
    }
    auto& into = all_[least];
    const auto& from = all_[least + 1];
    into.value =
        (into.value * into.weight + from.value * from.weight) / (into.weight + from.weight);
    into.weight += from.weight;
    std::move(all_.begin() + static_cast<std::ptrdiff_t>(least) + 2,
              all_.begin() + static_cast<std::ptrdiff_t>(count_),
              all_.begin() + static_cast<std::ptrdiff_t>(least) + 1);
    --count_;
  }

  std::array<wide_point, 2 * running_median::point_limit> all_{};
  std::size_t count_ = 0;
};

} // namespace

void running_median::add(double value, double weight) noexcept {
  const double bounded = std::clamp(value, lowest, highest);
  const wide_point added{std::log(bounded / lowest) * log_steps,
                         std::min(std::round(weight * weight_steps), weight_steps)};
  if (!(added.weight > 0)) return;
  if (const double kept = weight_limit * weight_steps - added.weight - point_limit; total() > kept)
    fade(kept / total());
  wide_points all;
  for (const auto& each : points_)
    if (each.weight != 0)
      all.insert({static_cast<double>(each.value), static_cast<double>(each.weight)});
  all.insert(added);
  all.join(point_limit);
  std::size_t count = 0;
  for (const auto& each : all.get())
    points_[count++] = {static_cast<std::uint16_t>(std::lround(each.value)),
                        static_cast<std::uint16_t>(std::lround(each.weight))};
}

void running_median::merge(const running_median& added) noexcept {
  const double limit = weight_limit * weight_steps - point_limit;
  const double factor = std::min(1.0, limit / std::max(1.0, total() + added.total()));
  wide_points all;
  for (const auto& points : {points_, added.points_})
    for (const auto& each : points)
      if (each.weight != 0) all.insert({static_cast<double>(each.value), each.weight * factor});
  all.join(point_limit);
  points_ = {};
  std::size_t count = 0;
  for (const auto& each : all.get())
    if (const auto weight = std::lround(each.weight); weight > 0)
      points_[count++] = {static_cast<std::uint16_t>(std::lround(each.value)),
                          static_cast<std::uint16_t>(weight)};
}

void running_median::fade(double factor) noexcept {
  for (auto& each : points_) {
    each.weight = static_cast<std::uint16_t>(std::lround(each.weight * factor));
    if (each.weight == 0) each.value = 0;
  }
  std::stable_partition(points_.begin(), points_.end(),
                        [](const point& each) { return each.weight != 0; });
}

std::array<std::uint8_t, running_median::byte_count> running_median::bytes() const noexcept {
  std::array<std::uint8_t, byte_count> all{};
  std::size_t at = 0;
  const auto put = [&](std::uint16_t number) {
    all[at++] = static_cast<std::uint8_t>(number & 0xFFU);
    all[at++] = static_cast<std::uint8_t>(number >> 8U);
  };
  for (const auto& each : points_) {
    put(each.value);
    put(each.weight);
  }
  return all;
}

std::optional<running_median>
running_median::from_bytes(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() != byte_count) return std::nullopt;
  const auto number_at = [&](std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8U);
  };
  running_median read;
  for (std::size_t i = 0; i < point_limit; ++i)
    read.points_[i] = {number_at(4 * i), number_at(4 * i + 2)};
  return read.is_sound() ? std::optional{read} : std::nullopt;
}

bool running_median::is_sound() const noexcept {
  static const auto highest_value = std::lround(std::log(highest / lowest) * log_steps);
  for (std::size_t i = 0; i < point_limit; ++i) {
    const auto& each = points_[i];
    const bool is_empty = each.weight == 0;
    if (is_empty ? each.value != 0 : each.value > highest_value) return false;
    if (i == 0 || is_empty) continue;
    if (points_[i - 1].weight == 0 || points_[i - 1].value > each.value) return false;
  }
  return total() <= weight_limit * weight_steps;
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
  // A point's weight is spread evenly up to the middles between it and its neighbours.
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
