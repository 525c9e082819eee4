#pragma once

#include <cstdint>

/// Counts a thread's heap allocations and system calls. This program defines malloc and the system
/// call wrappers that an event loop uses; each counts the call if its thread is counted, then
/// forwards it.
namespace matchcloud::costs {

/// The calls of one thread.
struct call_counts {
  /// malloc, calloc, realloc, aligned_alloc and posix_memalign, and therefore every `new`.
  std::uint64_t allocations = 0;
  std::uint64_t receives = 0;
  std::uint64_t sends = 0;
  /// epoll_wait.
  std::uint64_t waits = 0;
  /// All other calls that a transport could make: epoll_ctl, read, write and the socket calls.
  std::uint64_t others = 0;

  friend call_counts operator-(const call_counts& a, const call_counts& b) {
    return {a.allocations - b.allocations, a.receives - b.receives, a.sends - b.sends,
            a.waits - b.waits, a.others - b.others};
  }
};

/// Starts counting the calling thread.
void count_this_thread() noexcept;

/// The calling thread's counts so far.
call_counts counts_of_this_thread() noexcept;

/// Prints the stack of each allocation of this thread to standard error. Names are mangled: pipe
/// them through c++filt.
void show_allocations(bool on) noexcept;

} // namespace matchcloud::costs
