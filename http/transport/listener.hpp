#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "model/net/ip_address.hpp"

#include <sys/socket.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// An address to listen on.
struct endpoint {
  model::ip_address address;
  /// 0: the kernel's choice.
  std::uint16_t port = 0;

  friend auto operator<=>(const endpoint&, const endpoint&) = default;
};

/// How the connections of a listener begin.
struct listener_kind {
  /// With a PROXY protocol header, which is trusted only if the socket's peer is a trusted proxy.
  bool proxy_header = false;
  /// They speak TLS, after that header.
  bool tls = false;

  friend auto operator<=>(const listener_kind&, const listener_kind&) = default;
};
/// The suffix of an address for it: nothing, `/proxy`, `/tls` or `/proxy/tls`.
std::string_view suffix_of(listener_kind kind) noexcept;
/// Takes the suffix off the end of `text`; `/tls/proxy` is accepted, too.
listener_kind take_suffix(std::string_view& text) noexcept;

/// Reads `127.0.0.1:8080` or `[::1]:8080`. Fails with `config_invalid`.
base::expected<endpoint> parse_endpoint(std::string_view text);
/// Writes the form that `parse_endpoint` reads.
std::string to_string(const endpoint& where);

/// The endpoint in an IPv4 or IPv6 socket address.
endpoint endpoint_of(const sockaddr_storage& address) noexcept;

/// The endpoint that a TCP socket is bound to, or with `getpeername` its peer's; nothing for
/// others.
std::optional<endpoint> endpoint_of(int fd, decltype(getsockname)* which = getsockname) noexcept;

/// `count` non-blocking sockets that listen on one endpoint and share its connections
/// (SO_REUSEPORT), and the endpoint with its real port. Fails with `address_unavailable` if any
/// other socket listens on the endpoint, which is never shared.
struct listeners {
  endpoint where;
  std::vector<base::file_descriptor> sockets;
};
base::expected<listeners> listen_on(const endpoint& where, std::size_t count, int backlog);

/// Whether the kernel keeps connections to a listening socket until their first bytes or their end
/// (TCP_DEFER_ACCEPT), so that a loop wakes only when there is something to read. A silent one is
/// accepted a second after it was opened, or at once if the queue is so full that the kernel sends
/// SYN cookies.
void accept_with_first_bytes(int socket, bool on) noexcept;

/// Whether an endpoint is free to listen on, without listening.
base::expected<void> check_free(const endpoint& where);

} // namespace matchcloud::http
