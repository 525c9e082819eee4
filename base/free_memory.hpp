#pragma once

namespace matchcloud::base {

/// Has the allocator give free memory back to the system where a thread's part of the heap ends
/// with more than half a mebibyte of it. By itself it raises that bound with every large block that
/// is freed, to 64 MiB at most. Called once, before there are threads.
void bound_free_memory() noexcept;

/// Gives back what is free between blocks, in the whole process. Holds up whoever allocates for a
/// millisecond for some megabytes: not for an event loop.
void trim_heaps() noexcept;

} // namespace matchcloud::base
