#include "load/latency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

namespace matchcloud::load {

namespace {

constexpr unsigned precision = latency_histogram::precision_bits;
constexpr std::size_t bucket_parts = std::size_t{1} << precision;
/// Below 2^(precision + 1), a bucket is one nanosecond wide.
constexpr std::size_t bucket_count = (40 - precision - 1) * bucket_parts + 2 * bucket_parts;

} // namespace

latency_histogram::latency_histogram() : counts_(bucket_count) {}

std::size_t latency_histogram::bucket_of(std::uint64_t ns) noexcept {
  const auto width = static_cast<unsigned>(std::bit_width(ns));
  const unsigned shift = width > precision + 1 ? width - precision - 1 : 0;
  return shift * bucket_parts + static_cast<std::size_t>(ns >> shift);
}

std::uint64_t latency_histogram::greatest_in(std::size_t bucket) noexcept {
  if (bucket < 2 * bucket_parts) return bucket;
  const std::size_t shift = bucket / bucket_parts - 1;
  const std::uint64_t part = bucket - shift * bucket_parts;
  return ((part + 1) << shift) - 1;
}

void latency_histogram::record(std::uint64_t ns) noexcept {
  ns = std::min(ns, highest_ns);
  ++counts_[bucket_of(ns)];
  ++count_;
  sum_ns_ += ns;
  max_ns_ = std::max(max_ns_, ns);
}

void latency_histogram::add(const latency_histogram& other) noexcept {
  std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(),
                 std::plus<>{});
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

void latency_histogram::clear() noexcept {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = sum_ns_ = max_ns_ = 0;
}

double latency_histogram::mean_ns() const noexcept {
  return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
}

std::uint64_t latency_histogram::percentile_ns(double percent) const noexcept {
  // 99.9 % of 1,000 is 999, but 999.0000000000001 in floating point.
  constexpr double rounding = 1e-6;
  const auto wanted =
      static_cast<std::uint64_t>(std::ceil(percent * static_cast<double>(count_) / 100 - rounding));
  const auto rank = std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(1, count_));
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    total += counts_[i];
    if (total >= rank) return std::min(greatest_in(i), max_ns_);
  }
  return max_ns_;
}

double latency_histogram::deviation_ns() const {
  const double mean = mean_ns();
  double sum = 0;
  std::uint64_t before = 0;
  for (const auto& [up_to_ns, total] : steps()) {
    sum += static_cast<double>(total - before) * std::pow(static_cast<double>(up_to_ns) - mean, 2);
    before = total;
  }
  return count_ == 0 ? 0 : std::sqrt(sum / static_cast<double>(count_));
}

latency_summary summary_of(const latency_histogram& of) noexcept {
  latency_summary made;
  std::ranges::transform(reported_percentiles, made.ns.begin(),
                         [&of](const auto& each) { return of.percentile_ns(each.percent); });
  return made;
}

std::vector<latency_histogram::step> latency_histogram::steps(std::size_t joined) const {
  std::vector<step> found;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts_.size(); i += joined) {
    const auto* const first = counts_.data() + i;
    const auto here = std::accumulate(first, first + joined, std::uint64_t{0});
    if (here == 0) continue;
    total += here;
    found.push_back({std::min(greatest_in(i + joined - 1), max_ns_), total});
  }
  return found;
}

} // namespace matchcloud::load
