#pragma once

#include "model/net/ip_address.hpp"

namespace matchcloud::model {

/// Whether a datagram for `address` can leave its network and arrive somewhere: it is unicast,
/// assigned, and no special purpose keeps it inside. An IPv6 address that stands for an IPv4
/// address (IPv4-mapped, NAT64, 6to4) is judged as that one.
bool is_globally_reachable(const ip_address& address) noexcept;

} // namespace matchcloud::model
