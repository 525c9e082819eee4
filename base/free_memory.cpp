#include "base/free_memory.hpp"

#include <malloc.h>

namespace matchcloud::base {

namespace {

constexpr int free_at_end_bytes = 512 * 1024;
/// Larger blocks get their own mappings, which are unmapped when freed. The threshold is as large
/// as a thread's part of the heap can comfortably hold, because mappings cost more than heap
/// blocks.
constexpr int mapped_bytes = 4 * 1024 * 1024;

} // namespace

void bound_free_memory() noexcept {
  ::mallopt(M_TRIM_THRESHOLD, free_at_end_bytes);
  ::mallopt(M_MMAP_THRESHOLD, mapped_bytes);
}

void trim_heaps() noexcept {
  ::malloc_trim(0);
}

} // namespace matchcloud::base
