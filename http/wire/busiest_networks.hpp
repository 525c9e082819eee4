#pragma once

#include "base/clock.hpp"
#include "model/net/ip_address.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace matchcloud::http {

/// Which networks (/24 of IPv4, /48 of IPv6) most of the noted addresses belong to, in bounded
/// memory: a newcomer replaces the network with the lowest count, and inherits it ("Space Saving",
/// Metwally et al. 2005). So a network with more than 1/`slots` of a minute's addresses is always
/// found. Any thread.
class busiest_networks {
public:
  static constexpr std::size_t slots = 32;
  static constexpr std::chrono::minutes window{1};

  void note(const model::ip_address& client, base::steady_time now);
  /// Adds, by network, how many addresses were noted at least, in this minute and the last one.
  void add_to(std::map<std::string, std::uint64_t>& sums, base::steady_time now) const;

private:
  struct slot {
    model::ip_address network;
    std::uint64_t count = 0;
    /// The part of `count` that other networks had.
    std::uint64_t inherited = 0;
  };
  using table = std::array<slot, slots>;

  mutable std::mutex mutex_;
  /// When the current minute began.
  base::steady_time began_;
  table current_{};
  table last_{};
};

} // namespace matchcloud::http
