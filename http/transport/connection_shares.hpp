#pragma once

#include "base/siphash.hpp"
#include "model/net/ip_address.hpp"

#include <cstddef>
#include <mutex>
#include <unordered_map>

namespace matchcloud::http {

/// Counts the connections of each client address, in the process or in one loop. IPv6 addresses
/// count by a prefix, because a client that has one address of it has them all. Any thread. Memory
/// grows with the number of clients.
class connection_shares {
public:
  /// `prefix_length`: the length of the IPv6 prefix that counts as one client, 0 to 128.
  explicit connection_shares(std::size_t prefix_length = 64);

  /// The address that stands for a client: an IPv4 address unchanged, an IPv6 address's prefix.
  model::ip_address client_of(const model::ip_address& address) const noexcept {
    return prefix_of(address, prefix_length_);
  }

  /// Counts one more connection of `client`. False, and not counted, if it has `most` already.
  bool enter(const model::ip_address& client, std::size_t most);
  /// A counted connection was closed.
  void leave(const model::ip_address& client) noexcept;
  std::size_t count_of(const model::ip_address& client) const noexcept;

private:
  /// Keyed: clients choose their addresses and must not be able to choose their hash buckets.
  struct keyed_hash {
    base::siphash_key key;
    std::size_t operator()(const model::ip_address& of) const noexcept {
      return base::siphash(key, of.bytes);
    }
  };

  std::size_t prefix_length_;
  mutable std::mutex mutex_;
  std::unordered_map<model::ip_address, std::size_t, keyed_hash> counts_;
};

} // namespace matchcloud::http
