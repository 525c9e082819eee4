#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/file_descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// A text and the descriptors that came with it (close-on-exec).
struct descriptor_message {
  std::string text;
  std::vector<base::file_descriptor> descriptors;
};

/// A connection between two processes of this machine (SOCK_SEQPACKET) that carries whole messages,
/// descriptors among them (SCM_RIGHTS). Every wait ends at a deadline, or when `stop_fd` becomes
/// readable. One thread at a time.
class descriptor_channel {
public:
  static constexpr std::size_t message_limit_bytes = 1'024;
  /// Of the kernel's 253 (SCM_MAX_FD).
  static constexpr std::size_t descriptors_per_message = 64;

  /// `stop_fd` -1: none. The connection must be non-blocking.
  explicit descriptor_channel(base::file_descriptor connection, int stop_fd = -1) noexcept
      : connection_{std::move(connection)}, stop_fd_{stop_fd} {}

  int get() const noexcept { return connection_.get(); }

  /// Sends all of it or fails: `deadline_exceeded`, `cancelled` (stopped), `unavailable` (the peer
  /// is gone), `io_failed`. At most `descriptors_per_message`.
  base::expected<void> send(std::string_view text, std::span<const int> descriptors,
                            base::steady_time until);
  /// The next message. Fails likewise; with `request_malformed` where it is longer or has more
  /// descriptors than may be, or not all of them fit this process: then all are closed.
  base::expected<descriptor_message> receive(base::steady_time until);

  /// Waits for `events` (poll(2)) here or on `other` (where not -1) for reading; whether it was
  /// here.
  base::expected<bool> wait(short events, base::steady_time until, int other = -1) const;

private:
  base::file_descriptor connection_;
  int stop_fd_;
};

} // namespace matchcloud::http
