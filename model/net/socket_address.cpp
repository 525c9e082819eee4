#include "model/net/socket_address.hpp"

#include <netinet/in.h>

#include <cstring>

namespace matchcloud::model {

socket_address socket_address_of(const ip_address& address, std::uint16_t port) noexcept {
  socket_address result;
  if (address.is_v4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes.data() + 12, 4);
    std::memcpy(&result.storage, &v4, sizeof v4);
    result.length = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, address.bytes.data(), 16);
    std::memcpy(&result.storage, &v6, sizeof v6);
    result.length = sizeof v6;
  }
  return result;
}

} // namespace matchcloud::model
