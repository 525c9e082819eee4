#pragma once

#include "model/net/ip_address.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// Which header a trusted proxy tells the client's address in.
enum class forwarded_header : std::uint8_t { automatic, x_forwarded_for, forwarded };

/// Whom to believe about a client's address.
struct proxy_trust {
  std::vector<model::cidr> trusted_proxies;
  http::forwarded_header header = forwarded_header::automatic;
};

/// Whether the peer's word about its client counts. O(blocks). Any thread.
bool is_trusted(const model::ip_address& peer, const proxy_trust& trust) noexcept;

/// The client's address: the peer (the socket's, or the one that a PROXY header names), or, when
/// the peer is a trusted proxy, the right-most untrusted address of `X-Forwarded-For` or
/// `Forwarded` (RFC 7239), each given as its lines joined in order. Garbage, `unknown` and
/// obfuscated ids stop the walk at the last trusted hop. In automatic mode the header that is
/// present counts, and the peer when both are and disagree. A client that is not behind a trusted
/// proxy cannot change the result. O(length). Any thread.
model::ip_address client_address(const model::ip_address& peer, std::string_view x_forwarded_for,
                                 std::string_view forwarded, const proxy_trust& trust);

} // namespace matchcloud::http
