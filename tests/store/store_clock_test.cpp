#include "store/replica_lease.hpp"

#include "tests/catch.hpp"
#include "tests/store/s3/moved_clock.hpp"

namespace matchcloud::store {
namespace {

using std::chrono::milliseconds;

TEST_CASE("a store's clock is the machine's until it is measured") {
  moved_clock machine;
  const store_clock clock{machine};
  machine.move(milliseconds{7});
  CHECK(clock.unix_ms() == machine.unix_ms());
  CHECK(clock.now() == machine.now());
}

TEST_CASE("a store's clock shows the store's time, and advances with the machine's") {
  moved_clock machine;
  store_clock clock{machine};
  const auto right_ts = machine.unix_ms();
  machine.move(std::chrono::hours{3});
  clock.note(right_ts, milliseconds{10});
  CHECK(clock.unix_ms() == right_ts + 5);
  machine.move(milliseconds{100});
  CHECK(clock.unix_ms() == right_ts + 105);
}

TEST_CASE("a measurement that took long does not replace a better one") {
  moved_clock machine;
  store_clock clock{machine};
  clock.note(1'000'000, milliseconds{4'000});
  CHECK(clock.unix_ms() == 1'002'000); // better than none
  clock.note(2'000'000, milliseconds{0});
  clock.note(3'000'000, milliseconds{4'000});
  CHECK(clock.unix_ms() == 2'000'000);
}

} // namespace
} // namespace matchcloud::store
