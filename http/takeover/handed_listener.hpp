#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/transport/listener.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// A listener that a process hands to its successor: an endpoint and its listening sockets.
struct handed_listener {
  endpoint where;
  listener_kind kind;
  /// Whether the ops plane is served there, and not the data plane.
  bool is_ops = false;
  std::vector<base::file_descriptor> sockets;
};

/// `127.0.0.1:8080`, `127.0.0.1:8080/proxy/tls` or `ops 127.0.0.1:8081/tls`.
std::string to_string(const handed_listener& listener);
/// Parses the form of `to_string`; the result has no sockets. Fails with `config_invalid`.
base::expected<handed_listener> parse_handed_listener(std::string_view text);

/// Duplicates the descriptors of the sockets. Fails with `io_failed`.
base::expected<std::vector<base::file_descriptor>>
duplicates_of(const std::vector<base::file_descriptor>& sockets);

/// Whether `fd` is a TCP socket that listens at `where`.
bool listens_at(int fd, const endpoint& where) noexcept;

} // namespace matchcloud::http
