#include "base/latency_counts.hpp"

#include "tests/catch.hpp"

#include <thread>
#include <vector>

namespace matchcloud::base {
namespace {

using buckets = latency_buckets;

TEST_CASE("buckets cover all durations without a gap, each at most 5 % wide") {
  CHECK(buckets::of(0) == 0);
  CHECK(buckets::of(1'000) == 0);
  CHECK(buckets::of(1'001) == 1);
  CHECK(buckets::of(buckets::highest_ns) == buckets::size - 2);
  CHECK(buckets::of(buckets::highest_ns + 1) == buckets::size - 1);
  CHECK(buckets::of(UINT64_MAX) == buckets::size - 1);
  bool is_whole = true;
  for (std::size_t i = 1; i + 1 < buckets::size; ++i) {
    const auto least = buckets::greatest(i - 1) + 1;
    const auto greatest = buckets::greatest(i);
    is_whole = is_whole && buckets::of(least) == i && buckets::of(greatest) == i &&
               (greatest - least) * 20 < least && buckets::middle(i) >= least;
  }
  CHECK(is_whole);
}

TEST_CASE("every bound of Prometheus' buckets has the same requests below it as were shorter") {
  latency_counts counted;
  CHECK(counted.value().durations->counts.back() == 0);
  for (const auto bound : duration_buckets::bounds_ns) {
    counted.observe(bound);
    counted.observe(bound + 1);
  }
  const auto shown = *counted.value().durations;
  CHECK(shown.counts.front() == 1);
  for (std::size_t i = 1; i + 1 < shown.counts.size(); ++i)
    CHECK(shown.counts[i] == 2);
  CHECK(shown.counts.back() == 1);
  CHECK(shown.sum_ns == counted.sum_ns());
}

TEST_CASE("the longest is exact, and asked for once") {
  latency_counts counted;
  CHECK(counted.take_longest_ns() == 0);
  counted.observe(123'457);
  counted.observe(77);
  CHECK(counted.take_longest_ns() == 123'457);
  CHECK(counted.take_longest_ns() == 0);
  counted.observe(5);
  CHECK(counted.take_longest_ns() == 5);
}

TEST_CASE("threads count together, and none is lost") {
  latency_counts counted;
  constexpr std::uint64_t each = 20'000;
  std::vector<std::thread> threads;
  for (std::uint64_t number = 1; number <= 4; ++number)
    threads.emplace_back([&counted, number] {
      for (std::uint64_t i = 0; i < each; ++i)
        counted.observe(number * 10'000);
    });
  for (auto& thread : threads)
    thread.join();
  std::vector<std::uint64_t> sums(buckets::size);
  counted.add_to(sums);
  for (std::uint64_t number = 1; number <= 4; ++number)
    CHECK(sums[buckets::of(number * 10'000)] == each);
  CHECK(counted.take_longest_ns() == 40'000);
}

} // namespace
} // namespace matchcloud::base
