#include "base/free_memory.hpp"

#include "tests/catch.hpp"

#include <malloc.h>

#include <memory>
#include <thread>
#include <vector>

namespace matchcloud::base {
namespace {

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
