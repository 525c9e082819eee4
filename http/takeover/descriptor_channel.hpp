#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// A text and the descriptors that arrived with it (close-on-exec).
struct descriptor_message {
  std::string text;
  std::vector<base::file_descriptor> descriptors;
};

/// A connection between two processes of this machine (SOCK_SEQPACKET) that carries whole messages,
/// which may include descriptors (SCM_RIGHTS). Every wait ends at a deadline, or when `stop_fd`
/// becomes readable. One thread at a time.
class descriptor_channel {
public:
  static constexpr std::size_t message_limit_bytes = 1'024;
  /// Well below the kernel's limit of 253 (SCM_MAX_FD).
  static constexpr std::size_t descriptors_per_message = 64;

  /// `stop_fd` -1: nothing stops a wait early. The connection must be non-blocking.
  explicit descriptor_channel(base::file_descriptor connection, int stop_fd = -1) noexcept
      : connection_{std::move(connection)}, stop_fd_{stop_fd} {}

  int get() const noexcept { return connection_.get(); }

  /// Sends the whole message, with at most `descriptors_per_message` descriptors, or fails:
  /// `deadline_exceeded`, `cancelled` (stopped), `unavailable` (the peer is gone), `io_failed`.
  base::expected<void> send(std::string_view text, std::span<const int> descriptors,
                            base::steady_time until);
  /// Receives the next message. Fails with the errors of `send`, and with `request_malformed` if
  /// the message is too long, has too many descriptors, or not all of them fit in this process; all
  /// received descriptors are then closed.
  base::expected<descriptor_message> receive(base::steady_time until);

  /// Waits for `events` (poll(2)) on this connection, or for input on `other` (unless -1). Whether
  /// the event was on this connection.
  base::expected<bool> wait(short events, base::steady_time until, int other = -1) const;

private:
  base::file_descriptor connection_;
  int stop_fd_;
};

} // namespace matchcloud::http
