#pragma once

#include "model/latency/cell.hpp"
#include "store/geoip/geoip.hpp"

namespace matchcloud::store {

/// The groups of clients that an address is in, by the files; `in` may be null, and then only its
/// network is known. An IPv6 address that embeds an IPv4 address is in the groups of that. Any
/// thread.
model::client_cells client_cells_of(const geoip* in, const model::ip_address& address) noexcept;

} // namespace matchcloud::store
