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
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// The header in which trusted proxies report the client's address.
enum class forwarded_header : std::uint8_t { automatic, x_forwarded_for, forwarded };

/// Which proxies are trusted to report a client's address, and in which header.
struct proxy_trust {
  std::vector<model::cidr> trusted_proxies;
  http::forwarded_header header = forwarded_header::automatic;
};

/// Whether the peer is trusted to report its client's address. O(blocks). Any thread.
bool is_trusted(const model::ip_address& peer, const proxy_trust& trust) noexcept;

/// The client's address. It is the peer (the socket's, or the one that a PROXY header names) unless
/// the peer is a trusted proxy. In that case it is the right-most untrusted address of
/// `X-Forwarded-For` or `Forwarded` (RFC 7239), or the left-most address if all are trusted; each
/// header is given as its lines joined in order. Malformed elements, `unknown` and obfuscated ids
/// stop the walk at the last trusted hop; empty ones are skipped. In automatic mode the header that
/// is present is used; if both are present and disagree, the result is the peer. A client that is
/// not behind a trusted proxy cannot change the result. O(length + hops * blocks). Any thread.
model::ip_address client_address(const model::ip_address& peer, std::string_view x_forwarded_for,
                                 std::string_view forwarded, const proxy_trust& trust);

/// Where the address comes from, if `client_address` returned `client`: `connection` (or a
/// PROXY header), `X-Forwarded-For` or `Forwarded`.
std::string_view client_address_source(const model::ip_address& peer,
                                       const model::ip_address& client,
                                       std::string_view x_forwarded_for, const proxy_trust& trust);

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
