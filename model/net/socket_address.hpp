#pragma once

#include "model/net/ip_address.hpp"

#include <sys/socket.h>

#include <cstdint>

namespace matchcloud::model {

/// An address in the form of system calls.
struct socket_address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* plain() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// Has the family AF_INET for an IPv4 address, AF_INET6 otherwise.
socket_address socket_address_of(const ip_address& address, std::uint16_t port) noexcept;

} // namespace matchcloud::model
