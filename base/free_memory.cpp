#include "base/free_memory.hpp"

#include <malloc.h>

#include <cstdlib>

namespace matchcloud::base {

namespace {

constexpr int free_at_end_bytes = 512 * 1024;
/// Larger blocks are mappings of their own, which end when they are freed. As large as a thread's
/// part of the heap can well hold: mappings cost more than blocks.
constexpr int mapped_bytes = 4 * 1024 * 1024;
/// Freeing so much makes glibc look at the end of the heap (FASTBIN_CONSOLIDATION_THRESHOLD).
constexpr std::size_t large_bytes = 96UL * 1024;

} // namespace

void bound_free_memory() noexcept {
  ::mallopt(M_TRIM_THRESHOLD, free_at_end_bytes);
  ::mallopt(M_MMAP_THRESHOLD, mapped_bytes);
}

void trim_own_heap() noexcept {
  // Volatile, or the compiler would leave both out.
  void* volatile block = std::malloc(large_bytes); // NOLINT(cppcoreguidelines-no-malloc)
  std::free(block);                                // NOLINT(cppcoreguidelines-no-malloc)
}

void trim_heaps() noexcept {
  ::malloc_trim(0);
}

} // namespace matchcloud::base
