#pragma once

#include "model/net/ip_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace matchcloud::http {

/// Counts the connections of each client address, in the process or in one loop. IPv6 addresses
/// count by their /64, because a client that has one address of it has them all. Any thread. Memory
/// grows with the number of clients.
class connection_shares {
public:
  connection_shares();

  /// The address that stands for a client: an IPv4 address as it is, an IPv6 address as its /64.
  static model::ip_address client_of(const model::ip_address& address) noexcept;

  /// Counts one more connection of `client`. False, and not counted, where it has `most` already.
  bool enter(const model::ip_address& client, std::size_t most);
  /// A counted connection was closed.
  void leave(const model::ip_address& client) noexcept;
  std::size_t count_of(const model::ip_address& client) const noexcept;

private:
  /// Keyed: clients choose their addresses and must not be able to choose their hash buckets.
  struct keyed_hash {
    std::array<std::uint64_t, 2> secret;
    std::size_t operator()(const model::ip_address& of) const noexcept;
  };

  mutable std::mutex mutex_;
  std::unordered_map<model::ip_address, std::size_t, keyed_hash> counts_;
};

} // namespace matchcloud::http
