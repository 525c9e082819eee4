#include "base/metrics.hpp"

#include "base/latency_counts.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/shown_metrics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

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
  }
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

TEST_CASE("the bucket beyond the last bound takes the rest") {
  latency_counts seen;
  seen.observe(0);
  seen.observe(3'600'000'000'000);
  const auto counts = seen.value().durations->counts;
  CHECK(counts.front() == 1);
  CHECK(counts.back() == 1);
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

} // namespace
} // namespace matchcloud::base
