#include "base/metrics.hpp"

#include "base/latency_counts.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/shown_metrics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace matchcloud::base {
namespace {

TEST_CASE("a duration falls into the first bucket whose bound it does not exceed") {
  const auto& bounds = duration_buckets::bounds_ns;
  REQUIRE(std::is_sorted(bounds.begin(), bounds.end()));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    CAPTURE(i);
    latency_counts seen;
    seen.observe(bounds[i]);
    CHECK(seen.value().durations->counts[i] == 1);
    seen.observe(bounds[i] + 1);
    CHECK(seen.value().durations->counts[i] == 1);
    CHECK(seen.value().durations->counts[i + 1] == 1);
    CHECK(seen.sum_ns() == 2 * bounds[i] + 1);
    CHECK(seen.value().durations->sum_ns == seen.sum_ns());
  }
  latency_counts ends;
  ends.observe(0);
  ends.observe(3'600'000'000'000);
  CHECK(ends.value().durations->counts.front() == 1);
  CHECK(ends.value().durations->counts.back() == 1);
}

TEST_CASE(
    "neighboring bounds are at most 2.5 times apart, so that percentiles are near the truth") {
  const auto& bounds = duration_buckets::bounds_ns;
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    CAPTURE(i);
    CHECK(bounds[i] * 2 <= bounds[i - 1] * 5);
    // Objectives are about these times.
    if (bounds[i - 1] >= 100'000'000 && bounds[i] <= 500'000'000)
      CHECK(bounds[i] * 2 <= bounds[i - 1] * 3);
  }
}

TEST_CASE("a counter grows, a gauge goes both ways") {
  counter grown;
  grown.add();
  grown.add(41);
  CHECK(grown.get() == 42);
  gauge level;
  level.add(5);
  level.add(-7);
  CHECK(level.get() == -2);
  level.set(9);
  CHECK(level.get() == 9);
}

// What a set knows of its numbers is apart from them, so that counting costs no more.
static_assert(sizeof(counter) == sizeof(std::uint64_t));
static_assert(sizeof(gauge) == sizeof(std::uint64_t));
static_assert(sizeof(taken_places) == sizeof(std::size_t));

constexpr std::array<std::string_view, 3> colors{"red", "", "blue"};
struct season {
  std::string_view name;
};
constexpr std::array seasons{season{"summer"}, season{"winter"}};
constexpr std::array statuses{200, 0};

struct bird_metrics : metric_set {
  static constexpr metric_text flights{"flights_total", "Flights."};
  counter north{*this, flights, {"to", "north"}};
  counter south{*this, flights, {"to", "south"}};
  gauge nests{*this, {"nests", "Nests."}};
  taken_places eggs{*this, {"eggs", "Eggs."}};
  counter secret{*this, {}};
  by_label<counter, colors> feathers{*this, {"feathers_total", "Feathers."}, "color"};
  by_labels<counter, seasons, statuses> calls{*this, {"calls_total", "Calls."}, "season", "status"};
};
using numbers = std::map<std::string, double>;

TEST_CASE("a set shows the numbers that are declared in it, with their labels") {
  bird_metrics of;
  of.south.add(3);
  of.nests.set(-1);
  of.eggs = 4;
  of.secret.add();
  of.feathers[0].add(5);
  of.feathers[1].add(6); // has no name
  of.calls[1][1].add(7);
  CHECK(fixtures::shown(of) == numbers{{"flights_total{to=\"north\"}", 0},
                                       {"flights_total{to=\"south\"}", 3},
                                       {"nests", -1},
                                       {"eggs", 4},
                                       {"feathers_total{color=\"red\"}", 5},
                                       {"feathers_total{color=\"blue\"}", 0},
                                       {"calls_total{season=\"summer\",status=\"200\"}", 0},
                                       {"calls_total{season=\"summer\",status=\"other\"}", 0},
                                       {"calls_total{season=\"winter\",status=\"200\"}", 0},
                                       {"calls_total{season=\"winter\",status=\"other\"}", 7}});
}

TEST_CASE("a set of sets shows all of them, as they are when it is read") {
  bird_metrics one;
  bird_metrics other;
  metric_set all;
  all.add(one);
  all.add(other);
  all.add_gauge({"age_seconds", "Age."}, [age = 0]() mutable { return ++age; });
  all.add_counter({"flights_total", "Flights."}, [] { return 100U; }, {"to", "east"});
  one.north.add();
  other.north.add(2);
  auto shown = fixtures::shown(all);
  CHECK(shown["flights_total{to=\"north\"}"] == 3);
  CHECK(shown["flights_total{to=\"east\"}"] == 100);
  CHECK(shown["age_seconds"] == 1);
  CHECK(fixtures::shown(all)["age_seconds"] == 2);
}

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

TEST_CASE("the longest duration is exact, and forgotten once it is read") {
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
