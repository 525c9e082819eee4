#include "base/clock.hpp"

#include "tests/fixtures/injected_fault.hpp"

#include <algorithm>
#include <set>

namespace matchcloud::base {
namespace {

using namespace fixtures;
using std::chrono::milliseconds;

constexpr std::int64_t hour_ms = 3'600'000;

std::int64_t real_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

TEST_CASE("the machine's clock tells the time of day") {
  const auto before = real_ms();
  const auto told = machine_clock().unix_ms();
  CHECK(told >= before);
  CHECK(told <= real_ms());
}

TEST_CASE("a delayed clock is ahead by that, and right again without the fault") {
  injected_fault ahead{fault_point::clock, delayed_by(milliseconds{hour_ms})};
  const auto before = real_ms();
  // In a variable each: a compiler may evaluate the right side of a comparison first.
  const auto delayed = machine_clock().unix_ms();
  CHECK(delayed >= before + hour_ms);
  CHECK(delayed <= real_ms() + hour_ms);
  ahead.take_away();
  const auto right = machine_clock().unix_ms();
  CHECK(right <= real_ms());
}

TEST_CASE("a corrupted clock is wrong by up to an hour either way, deadlines are not") {
  const auto begun = std::chrono::steady_clock::now();
  injected_fault wrong{fault_point::clock, fault_kind::corrupt};
  std::set<std::int64_t> offsets;
  for (int i = 0; i < 200; ++i) {
    const auto told = machine_clock().unix_ms();
    const auto offset = told - real_ms();
    CHECK(offset >= -hour_ms - 60'000);
    CHECK(offset <= hour_ms);
    offsets.insert(offset);
  }
  CHECK(*offsets.begin() < -hour_ms / 2);
  CHECK(*offsets.rbegin() > hour_ms / 2);
  CHECK(offsets.size() > 100);
  CHECK(wrong.hits() == 200);
  const auto steady = machine_clock().now();
  CHECK(steady >= begun);
  CHECK(steady <= std::chrono::steady_clock::now());
  CHECK(wrong.passes() == 200);
}

} // namespace
} // namespace matchcloud::base
