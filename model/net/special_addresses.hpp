#pragma once

#include "model/net/ip_address.hpp"

namespace matchcloud::model {

/// Whether a datagram for `address` can leave its network and be delivered: the address is unicast,
/// assigned, and not confined by a special purpose. An IPv6 address that represents an IPv4 address
/// (IPv4-mapped, NAT64, 6to4) counts as that address.
bool is_globally_reachable(const ip_address& address) noexcept;

} // namespace matchcloud::model
