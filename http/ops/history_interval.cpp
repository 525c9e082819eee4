#include "http/ops/history_interval.hpp"

#include "base/latency_counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace matchcloud::http {

namespace {

// Seven bits per byte, the least significant first; all bytes but the last have the eighth bit.
void put(std::string& to, std::uint64_t number) {
  for (; number > 0x7f; number >>= 7U)
    to.push_back(static_cast<char>(number | 0x80U));
  to.push_back(static_cast<char>(number));
}

class unpacker {
public:
  explicit unpacker(std::string_view packed) : left_{packed} {}

  std::uint64_t take() noexcept {
    std::uint64_t number = 0;
    for (unsigned shift = 0; !left_.empty() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    return number;
  }

private:
  std::string_view left_;
};

void put_all(std::string& to, std::span<const std::uint64_t> numbers) {
  put(to, numbers.size());
  for (const auto each : numbers)
    put(to, each);
}

std::vector<std::uint64_t> take_all(unpacker& from) {
  std::vector<std::uint64_t> numbers(from.take());
  for (auto& each : numbers)
    each = from.take();
  return numbers;
}

void add_each(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] += from[i];
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
  to = std::move(merged);
}

} // namespace

void latency_spread::append(std::size_t bucket, std::uint64_t count) {
  if (count > 0) buckets_.emplace_back(static_cast<std::uint16_t>(bucket), count);
}

void latency_spread::add(const latency_spread& other) {
  merge_pairs(buckets_, other.buckets_, [](std::uint64_t& a, std::uint64_t b) { a += b; });
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
    if (requests >= left) return std::min(longest_ns_, base::latency_buckets::middle(bucket));
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
  if (begin_ms == end_ms) begin_ms = later.begin_ms;
  end_ms = later.end_ms;
  add_each(counts, later.counts);
  add_each(busy_us, later.busy_us);
  connections = std::max(connections, later.connections);
  in_flight = std::max(in_flight, later.in_flight);
  resident_bytes = std::max(resident_bytes, later.resident_bytes);
  merge_pairs(operations, later.operations,
              [](operation_interval& a, const operation_interval& b) { a.add(b); });
}

operation_interval history_interval::sum_of(plane which) const {
  operation_interval sum;
  for (const auto& [id, each] : operations)
    if (row_of(id).plane == which) sum.add(each);
  return sum;
}

std::string history_interval::pack() const {
  std::string packed;
  put(packed, static_cast<std::uint64_t>(begin_ms));
  put(packed, static_cast<std::uint64_t>(end_ms - begin_ms));
  put_all(packed, counts);
  put_all(packed, busy_us);
  put(packed, connections);
  put(packed, in_flight);
  put(packed, resident_bytes);
  put(packed, operations.size());
  for (const auto& [id, each] : operations) {
    put(packed, static_cast<std::uint64_t>(id));
    for (const auto answers : each.answers)
      put(packed, answers);
    put(packed, each.latency.longest_ns());
    put(packed, each.latency.buckets().size());
    std::uint64_t before = 0;
    for (const auto& [bucket, requests] : each.latency.buckets()) {
      put(packed, bucket - before);
      put(packed, requests);
      before = bucket;
    }
  }
  packed.shrink_to_fit();
  return packed;
}

history_interval history_interval::unpack(std::string_view packed) {
  unpacker from{packed};
  history_interval made;
  made.begin_ms = static_cast<std::int64_t>(from.take());
  made.end_ms = made.begin_ms + static_cast<std::int64_t>(from.take());
  made.counts = take_all(from);
  made.busy_us = take_all(from);
  made.connections = from.take();
  made.in_flight = from.take();
  made.resident_bytes = from.take();
  made.operations.resize(from.take());
  for (auto& [id, each] : made.operations) {
    id = static_cast<operation>(from.take());
    for (auto& answers : each.answers)
      answers = from.take();
    each.latency.note_longest(from.take());
    const auto buckets = from.take();
    std::uint64_t bucket = 0;
    for (std::uint64_t i = 0; i < buckets; ++i) {
      bucket += from.take();
      each.latency.append(bucket, from.take());
    }
  }
  return made;
}

} // namespace matchcloud::http
