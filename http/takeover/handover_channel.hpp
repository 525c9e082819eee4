#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr std::size_t message_limit_bytes = 1'024;
/// Well below the kernel's limit of 253 (SCM_MAX_FD).
inline constexpr std::size_t descriptors_per_message = 64;

/// Time for each message of the other process, except `ready`.
inline constexpr std::chrono::milliseconds patience{5'000};

/// Identifies the network namespace of this process.
std::string network_namespace();

} // namespace matchcloud::http::handover_protocol

namespace matchcloud::http {

/// One message, and the descriptors that arrived with it (close-on-exec).
struct handover_message {
  std::string verb;
  std::string argument;
  std::vector<base::file_descriptor> descriptors;
};

/// A connection between a process and its successor (SOCK_SEQPACKET). Every wait ends after a time,
/// or when `stop_fd` becomes readable. One thread at a time.
class handover_channel {
public:
  /// `stop_fd` -1: nothing stops a wait early. The connection must be non-blocking.
  explicit handover_channel(base::file_descriptor connection, int stop_fd = -1) noexcept
      : connection_{std::move(connection)}, stop_fd_{stop_fd} {}

  int get() const noexcept { return connection_.get(); }

  /// Sends the whole message, with at most `descriptors_per_message` descriptors (SCM_RIGHTS), or
  /// fails: `deadline_exceeded`, `cancelled` (stopped), `unavailable` (the peer is gone),
  /// `io_failed`.
  base::expected<void> say(std::string_view verb, std::string_view argument = {},
                           std::span<const int> descriptors = {},
                           std::chrono::milliseconds at_most = handover_protocol::patience) const;
  /// Receives the next message. Fails with the errors of `say`, and with `request_malformed` if the
  /// other process speaks another version or another protocol, the message is too long, has too
  /// many descriptors, or not all of them fit in this process; all received descriptors are then
  /// closed.
  base::expected<handover_message>
  hear(std::chrono::milliseconds at_most = handover_protocol::patience) const;

  /// Waits for `events` (poll(2)) on this connection, or for input on `other` (unless -1). Whether
  /// the event was on this connection.
  base::expected<bool> wait(short events, base::steady_time until, int other = -1) const;

private:
  base::file_descriptor connection_;
  int stop_fd_;
};

/// A unix socket (SOCK_SEQPACKET) that listens at a path; only this user may connect (mode 0600).
/// Destroying this leaves the file behind: see `remove_file`.
struct local_listener {
  std::string path;
  base::file_descriptor socket;

  /// Removes the socket's file. Only the process that still has the socket may call this.
  void remove_file() const noexcept { ::unlink(path.c_str()); }
};

/// Listens under a name in a directory, replacing the file of a dead process. Fails with
/// `address_unavailable` if a live process listens there or the name is not a socket's, otherwise
/// with `io_failed`.
base::expected<local_listener> listen_local(const std::string& directory, const std::string& name);

/// Connects to the process that listens under that name; nothing if none does. Fails with
/// `io_failed`, also if it has no room for another connection within 5 s. What it returns does not
/// block.
base::expected<std::optional<base::file_descriptor>> connect_local(const std::string& directory,
                                                                   const std::string& name);

/// A process at the other end of a connection.
struct local_peer {
  /// 0: a process that this one cannot see (another pid namespace).
  pid_t pid = 0;
  uid_t user = 0;
};

/// The process at the other end of a connection; for a listener, the one that called listen(2)
/// last.
std::optional<local_peer> peer_of(int fd) noexcept;
/// Its number if it runs as this user, otherwise nothing.
std::optional<pid_t> same_user_peer(int fd) noexcept;

} // namespace matchcloud::http
