#pragma once

namespace matchcloud::base {

/// Makes the allocator return memory to the system when more than half a mebibyte is free at the
/// end of a thread's heap. Without this, glibc raises that threshold with every large block that is
/// freed, up to 64 MiB. Call once, before starting threads.
void bound_free_memory() noexcept;

/// Returns free memory between blocks to the system, in the whole process. Blocks every allocating
/// thread for about a millisecond per few megabytes, so never call it on an event loop.
void trim_heaps() noexcept;

} // namespace matchcloud::base
