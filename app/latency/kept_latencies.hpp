#pragma once

#include "base/expected.hpp"
#include "model/latency/learned_entry.hpp"
#include "store/latency_store.hpp"

#include <functional>
#include <span>

namespace matchcloud::app {

using take_latencies = std::function<base::expected<void>(std::span<const model::learned_entry>)>;

/// Calls `take` with all learned latencies of a store, page by page. An entry that changes in the
/// meantime can be in two pages. Fails as the store or `take` does.
base::expected<void> read_all(store::latency_store& in, const take_latencies& take);

} // namespace matchcloud::app
