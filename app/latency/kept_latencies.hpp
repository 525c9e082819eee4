#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "model/latency/learned_entry.hpp"
#include "store/geoip/geoip.hpp"
#include "store/latency_store.hpp"

#include <functional>
#include <memory>
#include <span>

namespace matchcloud::app {

using take_latencies = std::function<base::expected<void>(std::span<const model::learned_entry>)>;

/// Calls `take` with all learned latencies of a store, page by page. An entry that changes in the
/// meantime can be in two pages. Fails as the store or `take` does.
base::expected<void> read_all(store::latency_store& in, const take_latencies& take);

/// The GeoIP files of a configuration, opened with the rights of the command's user; null if there
/// are none. Fails as `geoip_files::open` does.
base::expected<std::shared_ptr<const store::geoip>> open_geoip(const serve_config& config);

} // namespace matchcloud::app
