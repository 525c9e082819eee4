#pragma once

#include "model/net/ip_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace matchcloud::http {

/// How many connections, of the process or of a loop, each client address holds, IPv6 by its /64:
/// whoever has one such address has them all. Any thread. Memory by the number of connections.
class connection_shares {
public:
  connection_shares();

  /// What stands for a client: its address, or the /64 of it.
  static model::ip_address client_of(const model::ip_address& address) noexcept;

  /// Counts one connection more of `client`. False, and not counted, where it holds `most`.
  bool enter(const model::ip_address& client, std::size_t most);
  /// One that was counted is closed.
  void leave(const model::ip_address& client) noexcept;
  std::size_t count_of(const model::ip_address& client) const noexcept;

private:
  /// Clients choose their addresses, and must not choose where they stand in a table.
  struct keyed_hash {
    std::array<std::uint64_t, 2> secret;
    std::size_t operator()(const model::ip_address& of) const noexcept;
  };

  mutable std::mutex mutex_;
  std::unordered_map<model::ip_address, std::size_t, keyed_hash> counts_;
};

} // namespace matchcloud::http
