#pragma once

#include "http/takeover/descriptor_channel.hpp"
#include "http/transport/listener.hpp"

#include <chrono>
#include <cstddef>
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

  /// Whether it is the same endpoint for the same purpose.
  bool is(const handed_listener& other) const noexcept {
    return where == other.where && kind == other.kind && is_ops == other.is_ops;
  }
};

/// `127.0.0.1:8080`, `127.0.0.1:8080/proxy/tls` or `ops 127.0.0.1:8081/tls`.
std::string to_string(const handed_listener& listener);
/// Parses the form of `to_string`; the result has no sockets. Throws `base::failure`.
handed_listener parse_handed_listener(std::string_view text);
/// Whether `fd` is a TCP socket that listens at `where`.
bool listens_at(int fd, const endpoint& where) noexcept;

} // namespace matchcloud::http

/// The messages between a process and its successor, one per line:
///
///     successor    hello NETWORK_NAMESPACE
///     running      offer COUNT              with the socket that the successor connected to, on
///                                           which successors up to version 0.2.0 go on to listen
///                  listener NAME            COUNT times, each with up to 64 listening sockets
///     successor    ready                    once it could serve
///     running      yours                    from now on only the successor accepts
///
/// At any time the running process may say `refused REASON`, or `elsewhere`: the successor is in
/// another network namespace, where the same endpoints are others. Each message begins with
/// `matchcloud-take-over/VERSION`. A process that receives another version gives up.
namespace matchcloud::http::handover_protocol {

inline constexpr std::string_view prefix = "matchcloud-take-over/1 ";

inline constexpr std::string_view hello = "hello";
inline constexpr std::string_view offer = "offer";
inline constexpr std::string_view listener = "listener";
inline constexpr std::string_view ready = "ready";
inline constexpr std::string_view yours = "yours";
inline constexpr std::string_view refused = "refused";
inline constexpr std::string_view elsewhere = "elsewhere";

/// The most `listener` messages in one offer.
inline constexpr std::size_t listeners_limit = 256;

/// Time for each message of the other process, except `ready`.
inline constexpr std::chrono::milliseconds patience{5'000};

/// One message, parsed.
struct statement {
  std::string verb;
  std::string argument;
  std::vector<base::file_descriptor> descriptors;
};

std::string write(std::string_view verb, std::string_view argument = {});

/// Fails as `descriptor_channel::receive` does, and with `request_malformed` if the other process
/// speaks another version or another protocol.
base::expected<statement> read(descriptor_channel& from, base::steady_time until);

/// Identifies the network namespace of this process.
std::string network_namespace();

/// The time that is `patience` from now.
base::steady_time soon();

} // namespace matchcloud::http::handover_protocol
