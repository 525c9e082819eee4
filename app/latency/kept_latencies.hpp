#pragma once

#include "base/failure.hpp"
#include "model/latency/voices.hpp"
#include "store/latency_store.hpp"

#include <functional>
#include <span>

namespace matchcloud::app {

/// Calls `take` with all learned latencies of a store, page by page. An entry that changes in the
/// meantime can be in two pages. Throws a `base::failure` as the store does.
inline void read_all(store::latency_store& in,
                     const std::function<void(std::span<const model::learned_entry>)>& take) {
  store::latency_position read;
  while (true) {
    const auto page = base::value_of(in.read_latencies(read, store::latency_batch_limit));
    take(page.entries);
    // A service may add entries as fast as they are read; a short page means that only newer ones
    // are left.
    if (page.entries.size() < store::latency_batch_limit) return;
    read = page.last;
  }
}

} // namespace matchcloud::app
