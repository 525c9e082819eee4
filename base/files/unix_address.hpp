#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace matchcloud::base {

/// The address of a unix socket, for bind(2), connect(2) and sendto(2).
struct unix_address {
  static constexpr std::size_t limit_bytes = sizeof(sockaddr_un::sun_path) - 1;

  sockaddr_un address{};
  socklen_t bytes = 0;

  /// `name`: a path, or `@` and a name in the abstract namespace; what is beyond `limit_bytes` is
  /// cut.
  explicit unix_address(std::string_view name) noexcept {
    name = name.substr(0, limit_bytes);
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, &address.sun_path[0]);
    const bool is_abstract = name.starts_with('@');
    if (is_abstract) address.sun_path[0] = '\0';
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() +
                                   (is_abstract ? 0 : 1));
  }

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

} // namespace matchcloud::base
