#pragma once

#include "model/latency/cell.hpp"
#include "store/geoip/geoip.hpp"

#include <cstdint>
#include <span>

namespace matchcloud::store {

/// The groups of clients that an address belongs to, according to the files. If `in` is null, only
/// its network is known. An IPv6 address that embeds an IPv4 address belongs to the IPv4 address's
/// groups. Any thread.
model::client_cells client_cells_of(const geoip* in, const model::ip_address& address) noexcept;
/// The same for several addresses. `places` receives the numbers of their places, see
/// `geoip::find`.
void client_cells_of(const geoip* in, std::span<const model::ip_address> addresses,
                     std::span<model::client_cells> cells,
                     std::span<std::uint32_t> places) noexcept;

} // namespace matchcloud::store
