#include "base/byte_budget.hpp"

#include "tests/catch.hpp"

#include <utility>

namespace matchcloud::base {
namespace {

TEST_CASE("a budget gives its last byte and not one more") {
  byte_budget budget{100};
  CHECK(budget.try_acquire(99));
  CHECK(budget.try_acquire(1));
  CHECK(!budget.try_acquire(1));
  CHECK(budget.used_bytes() == 100);
  budget.release(1);
  CHECK(!budget.try_acquire(2));
  CHECK(budget.used_bytes() == 99);
  CHECK(budget.try_acquire(1));
}

TEST_CASE("a refused acquisition takes nothing") {
  byte_budget budget{10};
  CHECK(!budget.try_acquire(11));
  CHECK(budget.used_bytes() == 0);
  CHECK(budget.try_acquire(10));
}

TEST_CASE("a lease grows by the difference and gives everything back") {
  byte_budget budget{100};
  {
    byte_lease lease;
    CHECK(lease.grow_to(budget, 60));
    CHECK(lease.grow_to(budget, 100));
    CHECK(budget.used_bytes() == 100);
    CHECK(lease.grow_to(budget, 50)); // already covered: a lease does not shrink
    CHECK(lease.bytes() == 100);
  }
  CHECK(budget.used_bytes() == 0);
}

TEST_CASE("a lease that cannot grow stays as it was") {
  byte_budget budget{100};
  byte_lease first;
  byte_lease second;
  REQUIRE(first.grow_to(budget, 80));
  REQUIRE(second.grow_to(budget, 10));
  CHECK(!second.grow_to(budget, 21));
  CHECK(second.bytes() == 10);
  CHECK(budget.used_bytes() == 90);
  CHECK(second.grow_to(budget, 20));
  first.reset();
  CHECK(first.bytes() == 0);
  CHECK(budget.used_bytes() == 20);
  first.reset();
  CHECK(budget.used_bytes() == 20);
}

TEST_CASE("a lease moves with what holds the bytes") {
  byte_budget budget{100};
  byte_lease target;
  REQUIRE(target.grow_to(budget, 5));
  {
    byte_lease source;
    REQUIRE(source.grow_to(budget, 30));
    byte_lease moved{std::move(source)};
    CHECK(budget.used_bytes() == 35);
    target = std::move(moved);
  }
  CHECK(budget.used_bytes() == 30);
  CHECK(target.bytes() == 30);
}

} // namespace
} // namespace matchcloud::base
