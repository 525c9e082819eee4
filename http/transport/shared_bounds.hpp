#pragma once

#include "base/byte_budget.hpp"
#include "base/metrics.hpp"
#include "base/siphash.hpp"
#include "http/limits/limits.hpp"
#include "http/operations/list.hpp"
#include "http/transport/fair_queue.hpp"
#include "http/wire/client_address.hpp"
#include "http/wire/request_framer.hpp"
#include "model/net/ip_address.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace matchcloud::http {

class connection_acceptor;

/// The limits of one plane that may change while it serves: each event loop has its own.
struct plane_limits {
  http::limits limits;
  framer_limits framing;
  proxy_trust trust;

  plane_limits(const http::limits& configured, proxy_trust trusted, plane of);
};

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

/// What the event loops of one plane share, and the limits that they begin with. Immutable while
/// they run, except for the atomic and locked members; outlives them.
struct shared_bounds : plane_limits {
  plane serves = plane::data;
  base::byte_budget budget;
  /// All connections of the plane.
  std::atomic<std::size_t> connections{0};
  /// How many connections were ever opened: each gets its number from this.
  std::atomic<std::uint64_t> opened{0};
  /// The connections of each client, without those of trusted proxies themselves.
  connection_shares shares;
  /// The same by IPv6 /48, which may hold `network_width` times the connections of a client.
  static constexpr std::size_t network_prefix_length = 48;
  static constexpr std::size_t network_width = 16;
  connection_shares networks;
  /// Chooses clients' lanes. Not derived from the seed of request ids, which clients see.
  http::lane_key lane_key{};
  /// One per loop: each registers itself before any loop runs.
  std::vector<connection_acceptor*> acceptors;

  shared_bounds(const http::limits& configured, proxy_trust trusted, plane of = plane::data);
  /// Adds a metric for the used part of the budget.
  void show(base::metric_set& in) const;
};

} // namespace matchcloud::http
