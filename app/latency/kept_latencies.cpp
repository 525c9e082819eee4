#include "app/latency/kept_latencies.hpp"

namespace matchcloud::app {

base::expected<void> read_all(store::latency_store& in, const take_latencies& take) {
  store::latency_position read;
  while (true) {
    const auto page = in.read_latencies(read, store::latency_batch_limit);
    if (!page) return tl::unexpected(page.error());
    if (auto taken = take(page->entries); !taken) return taken;
    // A service may add entries as fast as they are read; a short page means that only newer ones
    // are left.
    if (page->entries.size() < store::latency_batch_limit) return {};
    read = page->last;
  }
}

} // namespace matchcloud::app
