#include "model/latency/learned_entry.hpp"

#include "tests/catch.hpp"

#include <initializer_list>

namespace {

using namespace matchcloud::model;

constexpr std::uint32_t week_minutes = 7 * 24 * 60;

learned_entry entry_of(std::initializer_list<double> values, std::uint32_t minute) {
  learned_entry made{place_cell({48.86, 2.35}), "lon", {51.51, -0.13}, minute, 0, 0, {}};
  for (const auto each : values)
    made.values.add(each, 1);
  return made;
}

TEST_CASE("What is merged into an entry counts as if it had been added") {
  auto into = entry_of({9, 12}, 5'000);
  into.contributed = 40'000;
  into.reporters = 0b0101;
  auto added = entry_of({10, 30}, 5'000);
  added.contributed = 20'000;
  added.reporters = 0b0110;
  merge(into, added);
  CHECK(into.values == entry_of({9, 12, 10, 30}, 5'000).values);
  CHECK(into.minute == 5'000);
  CHECK(into.contributed == 60'000);
  CHECK(into.reporters == 0b0111);
  merge(into, added);
  CHECK(into.contributed == 65'535);
}

TEST_CASE("The older of two entries fades to the newer minute") {
  const auto old = entry_of({100, 100, 100, 100}, 10'000);
  const auto recent = entry_of({50, 50, 50}, 10'000 + week_minutes);
  auto into = old;
  into.contributed = 512;
  merge(into, recent);
  CHECK(into.minute == recent.minute);
  CHECK(into.values.weight() == Approx(2 + 3));
  CHECK(into.contributed == 256);
  auto other = recent;
  auto late = old;
  late.contributed = 512;
  merge(other, late);
  CHECK(other == into);
}

TEST_CASE("An entry that is added to every minute fades all the same") {
  auto into = entry_of({}, 1'000);
  for (int i = 0; i < 150; ++i)
    merge(into, entry_of({20}, 1'000));
  const auto before = into.values.weight();
  auto seldom = entry_of({}, 0);
  for (std::uint32_t minute = 1'001; minute <= 1'000 + week_minutes; ++minute) {
    seldom.minute = minute;
    merge(into, seldom);
    CHECK(minute - into.minute <= 146);
  }
  CHECK(into.values.weight() == Approx(before / 2).epsilon(0.02));
}

TEST_CASE("What is known of a region that has moved is replaced") {
  auto into = entry_of({9, 9, 9, 9}, 5'000);
  auto added = entry_of({80}, 4'000);
  added.region_at = {40.71, -74.01};
  merge(into, added);
  CHECK(into == added);
}

} // namespace
