#pragma once

#include <cstdint>

/// What a thread asks of the heap and of the kernel. This program defines malloc and the calls that
/// a loop makes; each counts, where its thread is counted, and passes on what it was asked.
namespace matchcloud::costs {

/// Calls, of one thread.
struct call_counts {
  /// malloc, calloc, realloc, aligned_alloc and posix_memalign, and so every `new`.
  std::uint64_t allocations = 0;
  std::uint64_t receives = 0;
  std::uint64_t sends = 0;
  /// epoll_wait.
  std::uint64_t waits = 0;
  /// All other calls that a transport could make: epoll_ctl, read and write, those on sockets.
  std::uint64_t others = 0;

  friend call_counts operator-(const call_counts& a, const call_counts& b) {
    return {a.allocations - b.allocations, a.receives - b.receives, a.sends - b.sends,
            a.waits - b.waits, a.others - b.others};
  }
};

/// The calling thread is counted from now on.
void count_this_thread() noexcept;

/// Of the calling thread, so far.
call_counts counts_of_this_thread() noexcept;

/// Prints the stack of each allocation of this thread to standard error, as names in the linker's
/// form: c++filt reads them.
void show_allocations(bool on) noexcept;

} // namespace matchcloud::costs
