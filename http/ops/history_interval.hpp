#pragma once

#include "http/operations/list.hpp"
#include "http/transport/transport_metrics.hpp"
#include "model/json/record.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// How long requests took: how many of them in each bucket at most 5 % wide. One thread.
class latency_spread {
public:
  /// Adds `count` requests to one of `base::latency_buckets`, a higher one than the call before.
  void append(std::size_t bucket, std::uint64_t count);
  void add(const latency_spread& other);
  void note_longest(std::uint64_t ns) noexcept { longest_ns_ = std::max(longest_ns_, ns); }

  std::uint64_t count() const noexcept;
  std::uint64_t longest_ns() const noexcept { return longest_ns_; }
  /// What `share` (0 to 1) of the requests did not exceed, within 2.5 %; 0 if there were none.
  std::uint64_t percentile_ns(double share) const noexcept;
  std::size_t bytes() const noexcept { return buckets_.capacity() * sizeof(buckets_[0]); }

private:
  /// Neighbours among `base::latency_buckets` are joined; the last of them and its requests.
  std::vector<std::pair<std::uint16_t, std::uint32_t>> buckets_;
  std::uint64_t longest_ns_ = 0;
};

constexpr auto describe(const latency_spread*) {
  using namespace model::types;
  const auto in_us = [](auto ns_of) {
    return [ns_of](const latency_spread& of) { return (ns_of(of) + 500) / 1'000; };
  };
  const auto percentile = [in_us](double share) {
    return in_us([share](const latency_spread& of) { return of.percentile_ns(share); });
  };
  return record{"LatencySummary",
                field{"count", count, "How many requests.", &latency_spread::count},
                field{"p50", count, "The median, within 2.5 %.", percentile(0.5)},
                field{"p90", count, "90 % took at most this.", percentile(0.9)},
                field{"p99", count, "99 % took at most this.", percentile(0.99)},
                field{"p99_9", count, "99.9 % took at most this.", percentile(0.999)},
                field{"max", count, "The exact maximum.",
                      in_us([](const latency_spread& of) { return of.longest_ns(); })}}
      .about("From the complete request to its answer, in microseconds.")
      .open();
}

/// How requests ended, in reports.
struct answers_by_class {
  answer_counts counts{};
};

constexpr auto describe(const answers_by_class*) {
  using namespace model::types;
  const auto of_class = [](std::size_t which) {
    return [which](const answers_by_class& of) { return of.counts[which]; };
  };
  return record{
      "AnswerCounts",
      field{"2xx", count, "Successes.", of_class(2)},
      field{"3xx", count, "Redirects, and answers that a client already had.", of_class(3)},
      field{"4xx", count, "Errors of the client.", of_class(4)},
      field{"5xx", count, "Errors of the service.", of_class(5)},
      field{"client_gone", count, "Requests whose clients were gone before the answer.",
            of_class(client_gone)}}
      .about("How many requests ended in which way: answers by class of status.")
      .open();
}

/// The requests of one operation.
struct operation_interval {
  answer_counts answers{};
  latency_spread latency;

  std::uint64_t requests() const noexcept;
  answers_by_class by_class() const noexcept { return {answers}; }
  void add(const operation_interval& other);
};

constexpr auto request_fields() {
  using of = operation_interval;
  using namespace model::types;
  return std::tuple{field{"requests", count, "How many ended.", &of::requests},
                    field{"answers", a("AnswerCounts"), "By class of status.", &of::by_class},
                    field{"latency_us", a("LatencySummary"),
                          "How long they took, except refusals (4xx).", &of::latency}};
}

/// An operation of a plane. Each plane has requests that match no operation.
struct plane_operation {
  operation id = operation::unmatched;
  plane of = plane::data;

  friend auto operator<=>(const plane_operation&, const plane_operation&) = default;
};

/// What happened in one interval of the past. One thread.
struct history_interval {
  /// Milliseconds since 1970, as if the time of day had never been set since the process began.
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = 0;
  /// How far the time of day had been set by then.
  std::int64_t set_by_ms = 0;
  /// By name of the source, in its order.
  std::vector<std::uint64_t> counts;
  /// How long each event loop of the data plane worked.
  std::vector<std::uint64_t> busy_us;
  /// How long it waited for a processor.
  std::vector<std::uint64_t> waited_us;
  /// The most at any time.
  std::uint64_t connections = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t resident_bytes = 0;
  /// The operations that had requests, in ascending order.
  std::vector<std::pair<plane_operation, operation_interval>> operations;
  /// How long the data plane took to refuse requests.
  latency_spread refusals;

  /// When it began, in milliseconds since 1970 by the time of day at which it was measured.
  std::int64_t at_ms() const noexcept { return begin_ms + set_by_ms; }
  /// Which share of it a time is.
  double share_of(std::uint64_t us) const noexcept {
    return static_cast<double>(us) /
           (static_cast<double>(std::max<std::int64_t>(1, end_ms - begin_ms)) * 1e3);
  }
  /// Adds a later part of the same source.
  void add(const history_interval& later);
  /// All operations of a plane together.
  operation_interval sum_of(plane which) const;
  std::size_t bytes() const noexcept;
};

} // namespace matchcloud::http
