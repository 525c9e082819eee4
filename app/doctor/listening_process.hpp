#pragma once

#include "http/takeover/local_socket.hpp"
#include "http/transport/listener.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

struct listening_socket {
  std::string user;
  std::string inode;

  friend bool operator==(const listening_socket&, const listening_socket&) = default;
};

/// The sockets that listen at exactly `where`, by `table`, the text of /proc/net/tcp or tcp6
/// (proc(5)). Lines that cannot be read are skipped.
std::vector<listening_socket> listening_sockets(std::string_view table,
                                                const http::endpoint& where);

/// Whether a process has a socket that listens at exactly `where`. If the system hides its
/// descriptors, as it does for a unit with PrivateUsers, whether its user has one. False if /proc
/// cannot be read.
bool process_listens_at(const http::local_peer& process, const http::endpoint& where);

} // namespace matchcloud::app
