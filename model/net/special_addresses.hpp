#pragma once

#include "model/net/ip_address.hpp"

#include <cstdint>
#include <optional>

namespace matchcloud::model {

/// How an IPv6 address carries the IPv4 address of the same host.
enum class embedding : std::uint8_t {
  /// `2002:V4ADDR::/48` (RFC 3056 section 2).
  six_to_four,
  /// `64:ff9b::V4ADDR` (RFC 6052 section 2.1).
  nat64,
  /// `2001:0:SERVER:FLAGS:PORT:~V4ADDR`: the public address of the host's NAT (RFC 4380 section 4).
  teredo,
};

struct embedded_address {
  embedding way = embedding::six_to_four;
  ip_address v4;
};

/// The IPv4 address within `address`; empty for all other addresses, including IPv4-mapped ones,
/// which are plain IPv4 addresses here.
std::optional<embedded_address> find_embedded_v4(const ip_address& address) noexcept;

/// Whether a datagram for `address` can leave its network and be delivered: the address is unicast,
/// assigned, and not confined by a special purpose. An IPv6 address that represents an IPv4 address
/// (IPv4-mapped, NAT64, 6to4) counts as that address.
bool is_globally_reachable(const ip_address& address) noexcept;

} // namespace matchcloud::model
