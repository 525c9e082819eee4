#include "actors/reports/lobby_counts.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace matchcloud::actors {
namespace {

using model::time_span;
using lobbies = std::vector<time_span>;

peak_count peak_of(const time_span& span, const lobbies& all) {
  peak_count peak{span};
  for (const auto& each : all)
    REQUIRE(peak.add(each));
  return peak;
}

/// Looks at every instant of the span.
std::pair<std::size_t, std::uint64_t> peak_by_looking(const time_span& span, const lobbies& all) {
  std::pair<std::size_t, std::uint64_t> most{0, 0};
  for (auto now = span.begin; now < span.end; ++now) {
    const auto running = static_cast<std::size_t>(std::ranges::count_if(
        all, [&](const auto& each) { return each.begin <= now && now < each.end; }));
    if (running > most.first) most = {running, now};
  }
  return most;
}

TEST_CASE("a peak is found between the begins of buckets") {
  const lobbies all{{1, 9}, {2, 5}, {3, 4}, {4, 6}, {9, 10}};
  const auto peak = peak_of({0, 10}, all);
  CHECK(peak.running() == 3);
  CHECK(peak.at() == 3);
  bucket_counts buckets{{0, 10}, 1};
  for (const auto& each : all)
    buckets.add(each);
  CHECK(buckets.running() == std::vector<std::int64_t>{0});
}

TEST_CASE("a lobby that stops as another starts does not run with it") {
  CHECK(peak_of({0, 10}, {{1, 5}, {5, 9}}).running() == 1);
}

TEST_CASE("a lobby that stops as it starts runs at no time") {
  CHECK(peak_of({0, 10}, {{5, 5}, {5, 5}}).running() == 0);
}

TEST_CASE("a peak is one of its span") {
  const lobbies all{{1, 20}, {2, 4}, {2, 30}, {15, 16}};
  const auto at_begin = peak_of({5, 10}, all);
  CHECK(at_begin.running() == 2);
  CHECK(at_begin.at() == 5);
  CHECK(peak_of({30, 40}, all).running() == 0);
}

TEST_CASE("more lobbies at once than are counted are refused") {
  peak_count peak{{0, 10}, 2};
  CHECK(peak.add({0, 3}));
  CHECK(peak.add({1, 4}));
  CHECK_FALSE(peak.add({2, 4}));
  CHECK(peak.add({3, 4}));
  CHECK(peak.running() == 2);
}

TEST_CASE("a peak is what looking at every instant finds") {
  CHECK(rc::check([] {
    const auto time = rc::gen::inRange<std::uint64_t>(0, 40);
    const auto span = [&] {
      const auto pair = *rc::gen::pair(time, time);
      return time_span{std::min(pair.first, pair.second), std::max(pair.first, pair.second)};
    };
    lobbies all;
    for (auto count = *rc::gen::inRange(0, 30); count > 0; --count)
      all.push_back(span());
    std::ranges::sort(all);
    const auto within = span();
    const auto peak = peak_of(within, all);
    const auto looked = peak_by_looking(within, all);
    RC_ASSERT(peak.running() == looked.first);
    RC_ASSERT(peak.at() == looked.second);
  }));
}

} // namespace
} // namespace matchcloud::actors
