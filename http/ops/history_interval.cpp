#include "http/ops/history_interval.hpp"

#include "base/latency_counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

namespace matchcloud::http {

namespace {

using fine = base::latency_buckets;

/// The last of the neighbours that each of `base::latency_buckets` is joined with: as many as
/// together are at most 5 % wide. A third as many buckets then have all percentiles within 2.5 %.
constexpr auto last_joined = [] {
  std::array<std::uint16_t, fine::size> made{};
  for (std::size_t first = 1, after = 1; first + 1 < fine::size; first = after) {
    const auto above = fine::greatest(first - 1);
    while (after + 1 < fine::size && fine::greatest(after) - above <= above / 20)
      ++after;
    std::fill(made.begin() + first, made.begin() + after, static_cast<std::uint16_t>(after - 1));
  }
  made.back() = fine::size - 1;
  return made;
}();

void add_each(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] += from[i];
}

/// What represents the requests of a bucket: the middle between its bounds.
std::uint64_t middle_ns(std::uint16_t joined) {
  if (joined == 0 || joined + 1U == fine::size) return fine::greatest(joined);
  const auto first = std::ranges::lower_bound(last_joined, joined) - last_joined.begin();
  return (fine::greatest(static_cast<std::size_t>(first) - 1) + fine::greatest(joined)) / 2;
}

/// Adds sorted pairs to sorted pairs; `add` joins two of the same key.
template <class Pairs, class Add>
void merge_pairs(Pairs& to, const Pairs& from, Add add) {
  Pairs merged;
  merged.reserve(to.size() + from.size());
  auto a = to.begin();
  for (const auto& b : from) {
    while (a != to.end() && a->first < b.first)
      merged.push_back(std::move(*a++));
    if (a != to.end() && a->first == b.first) {
      merged.push_back(std::move(*a++));
      add(merged.back().second, b.second);
    } else {
      merged.push_back(b);
    }
  }
  std::move(a, to.end(), std::back_inserter(merged));
  merged.shrink_to_fit();
  to = std::move(merged);
}

} // namespace

void latency_spread::append(std::size_t bucket, std::uint64_t count) {
  if (count == 0) return;
  const auto requests = static_cast<std::uint32_t>(count);
  if (!buckets_.empty() && buckets_.back().first == last_joined[bucket])
    buckets_.back().second += requests;
  else
    buckets_.emplace_back(last_joined[bucket], requests);
}

void latency_spread::add(const latency_spread& other) {
  merge_pairs(buckets_, other.buckets_, [](std::uint32_t& a, std::uint32_t b) { a += b; });
  note_longest(other.longest_ns_);
}

std::uint64_t latency_spread::count() const noexcept {
  return std::accumulate(buckets_.begin(), buckets_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& each) { return sum + each.second; });
}

std::uint64_t latency_spread::percentile_ns(double share) const noexcept {
  // 99.9 % of 1,000 is 999, not the 999.0000000000001 that floating point makes of it.
  constexpr double rounding = 1e-6;
  const auto all = count();
  if (all == 0) return 0;
  auto left = static_cast<std::uint64_t>(
      std::max(1.0, std::ceil(static_cast<double>(all) * share - rounding)));
  if (left == all) return longest_ns_;
  for (const auto& [bucket, requests] : buckets_) {
    if (requests >= left) return std::min(longest_ns_, middle_ns(bucket));
    left -= requests;
  }
  return longest_ns_;
}

std::uint64_t operation_interval::requests() const noexcept {
  return std::accumulate(answers.begin(), answers.end(), std::uint64_t{0});
}

void operation_interval::add(const operation_interval& other) {
  for (std::size_t i = 0; i < answers.size(); ++i)
    answers[i] += other.answers[i];
  latency.add(other.latency);
}

void history_interval::add(const history_interval& later) {
  if (begin_ms == end_ms) {
    begin_ms = later.begin_ms;
    set_by_ms = later.set_by_ms;
  }
  end_ms = later.end_ms;
  add_each(counts, later.counts);
  add_each(busy_us, later.busy_us);
  add_each(waited_us, later.waited_us);
  connections = std::max(connections, later.connections);
  in_flight = std::max(in_flight, later.in_flight);
  resident_bytes = std::max(resident_bytes, later.resident_bytes);
  merge_pairs(operations, later.operations,
              [](operation_interval& a, const operation_interval& b) { a.add(b); });
  refusals.add(later.refusals);
}

operation_interval history_interval::sum_of(plane which) const {
  operation_interval sum;
  for (const auto& [what, each] : operations)
    if (what.of == which) sum.add(each);
  return sum;
}

std::size_t history_interval::bytes() const noexcept {
  auto sum =
      sizeof *this +
      (counts.capacity() + busy_us.capacity() + waited_us.capacity()) * sizeof(std::uint64_t) +
      operations.capacity() * sizeof(operations[0]) + refusals.bytes();
  for (const auto& [what, each] : operations)
    sum += each.latency.bytes();
  return sum;
}

} // namespace matchcloud::http
