#include "http/transport/listener.hpp"

#include "base/decimal.hpp"
#include "http/loop/byte_stream.hpp"
#include "model/net/socket_address.hpp"
#include "model/net/url_parts.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace matchcloud::http {

namespace {

tl::unexpected<base::error> unavailable(const endpoint& where, const char* call) {
  const int reason = errno;
  auto detail = to_string(where) + ": " + call + ": " + std::strerror(reason);
  if (reason == EADDRINUSE)
    detail += " (another process serves it, or this one already does; to replace a running "
              "matchcloud without losing a request, start its successor with --take-over)";
  return base::fail(base::errc::address_unavailable, std::move(detail));
}

bool set_flag(int fd, int level, int option) noexcept {
  const int on = 1;
  return setsockopt(fd, level, option, &on, sizeof on) == 0;
}

/// A bound socket. With `exclusive`, binding fails if any other listener exists, even one with
/// SO_REUSEPORT.
base::expected<base::file_descriptor> bind_to(const endpoint& where, bool exclusive) {
  const auto address = model::socket_address_of(where.address, where.port);
  const int family = address.storage.ss_family;
  base::file_descriptor socket{::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket) return unavailable(where, "socket");
  // SO_REUSEADDR lets a restart bind despite connections in TIME_WAIT, but not despite a listener.
  if (!set_flag(socket.get(), SOL_SOCKET, SO_REUSEADDR)) return unavailable(where, "setsockopt");
  if (family == AF_INET6 && !set_flag(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY))
    return unavailable(where, "setsockopt");
  if (!exclusive && !set_flag(socket.get(), SOL_SOCKET, SO_REUSEPORT))
    return unavailable(where, "setsockopt");
  prepare_client_socket(socket.get()); // before anybody can connect
  if (::bind(socket.get(), address.plain(), address.length) != 0) return unavailable(where, "bind");
  return socket;
}

} // namespace

std::string_view suffix_of(listener_kind kind) noexcept {
  if (kind.proxy_header) return kind.tls ? "/proxy/tls" : "/proxy";
  return kind.tls ? "/tls" : "";
}

listener_kind take_suffix(std::string_view& text) noexcept {
  listener_kind kind;
  const auto take = [&text](std::string_view suffix, bool& said) {
    if (said || !text.ends_with(suffix)) return false;
    text.remove_suffix(suffix.size());
    return said = true;
  };
  while (take("/proxy", kind.proxy_header) || take("/tls", kind.tls)) {
  }
  return kind;
}

base::expected<endpoint> parse_endpoint(std::string_view text) {
  const auto invalid = [text] {
    return base::fail(base::errc::config_invalid,
                      "\"" + std::string{text} +
                          "\" is not ADDRESS:PORT; write 127.0.0.1:8080 or [::1]:8080, port 0 for "
                          "the kernel's choice");
  };
  const auto parts = model::split_host_and_port(text);
  if (!parts) return invalid();
  const auto address = model::parse_ip_address(parts->host);
  const bool is_v6 = parts->host.find(':') != std::string_view::npos;
  const auto port = base::parse_decimal<std::uint16_t>(parts->port().value_or(""));
  if (!address || parts->is_bracketed != is_v6 || !port) return invalid();
  return endpoint{*address, *port};
}

std::string to_string(const endpoint& where) {
  auto host = model::to_string(where.address);
  if (!where.address.is_v4()) host = "[" + host + "]";
  return host + ":" + std::to_string(where.port);
}

endpoint endpoint_of(const sockaddr_storage& address) noexcept {
  endpoint result;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    std::array<std::uint8_t, 4> octets{};
    std::memcpy(octets.data(), &v4.sin_addr, 4);
    result.address = model::ip_address::from_v4(octets);
    result.port = ntohs(v4.sin_port);
  } else {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    std::memcpy(result.address.bytes.data(), &v6.sin6_addr, 16);
    result.port = ntohs(v6.sin6_port);
  }
  return result;
}

std::optional<endpoint> endpoint_of(int fd, decltype(getsockname)* which) noexcept {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (which(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return std::nullopt;
  if (storage.ss_family != AF_INET && storage.ss_family != AF_INET6) return std::nullopt;
  return endpoint_of(storage);
}

base::expected<listeners> listen_on(const endpoint& where, std::size_t count, int backlog) {
  // The first socket binds exclusively, which fails if any other listener exists. Only
  // then does it admit its siblings (SO_REUSEPORT), so there is no moment at which another process
  // could share the port unnoticed.
  auto first = bind_to(where, true);
  if (!first) return tl::unexpected(std::move(first).error());
  if (!set_flag(first->get(), SOL_SOCKET, SO_REUSEPORT)) return unavailable(where, "setsockopt");

  listeners result{endpoint_of(first->get()).value(), {}};
  result.sockets.push_back(*std::move(first));
  while (result.sockets.size() < count) {
    auto next = bind_to(result.where, false);
    if (!next) return tl::unexpected(std::move(next).error());
    result.sockets.push_back(*std::move(next));
  }
  for (const auto& socket : result.sockets)
    if (::listen(socket.get(), backlog) != 0) return unavailable(result.where, "listen");
  return result;
}

void accept_with_first_bytes(int socket, bool on) noexcept {
  const int seconds = on ? 1 : 0;
  setsockopt(socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
}

base::expected<void> check_free(const endpoint& where) {
  const auto socket = bind_to(where, true);
  if (!socket) return tl::unexpected(socket.error());
  return {};
}

} // namespace matchcloud::http
