#include "base/free_memory.hpp"

#include "tests/catch.hpp"

#include <malloc.h>

#include <memory>
#include <thread>
#include <vector>

namespace matchcloud::base {
namespace {

// AddressSanitizer brings an allocator of its own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// Of all threads, in bytes.
std::size_t heap_bytes() {
  return ::mallinfo2().arena;
}

TEST_CASE("what a thread freed in small blocks is given back when its heap is trimmed") {
  bound_free_memory();
  std::size_t before = 0;
  std::size_t freed = 0;
  std::size_t trimmed = 0;
  std::thread{[&] {
    // Blocks of a size at whose end the allocator does not look by itself.
    std::vector<std::unique_ptr<char[]>> blocks(2'000);
    before = heap_bytes();
    for (auto& each : blocks)
      each = std::make_unique<char[]>(16 * 1024);
    blocks.clear();
    freed = heap_bytes();
    trim_own_heap();
    trimmed = heap_bytes();
  }}.join();
  CHECK(freed > before + 16UL * 1024 * 1024);
  CHECK(trimmed < before + 2UL * 1024 * 1024);
}

#endif

} // namespace
} // namespace matchcloud::base
