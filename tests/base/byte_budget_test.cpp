#include "base/byte_budget.hpp"

#include "base/free_memory.hpp"

#include "tests/catch.hpp"

#include <malloc.h>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

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

// AddressSanitizer and ThreadSanitizer replace the allocator.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// The heap size of all threads, in bytes.
std::size_t heap_bytes() {
  return ::mallinfo2().arena;
}

TEST_CASE("a large block that was freed does not raise what threads keep of freed ones") {
  bound_free_memory();
  std::size_t grown = 0;
  std::size_t freed = 0;
  const auto before = heap_bytes();
  std::thread{[&] {
    // By default, glibc would conclude that 32 MiB may stay in the heap.
    { const auto large = std::make_unique<char[]>(16UL * 1024 * 1024); }
    std::vector<std::unique_ptr<char[]>> blocks(1'000);
    for (auto& each : blocks)
      each = std::make_unique<char[]>(16 * 1024);
    grown = heap_bytes();
    blocks.clear();
    freed = heap_bytes();
  }}.join();
  CHECK(grown > before + 15UL * 1024 * 1024);
  CHECK(freed < before + 2UL * 1024 * 1024);
}

#endif

} // namespace
} // namespace matchcloud::base
