#pragma once

#include "base/files/file_descriptor.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// What a service manager wants to know, as it said in the environment.
struct manager_settings {
  /// NOTIFY_SOCKET: a path, or `@` and an abstract name; empty if nobody wants to be told.
  std::string socket;
  /// WATCHDOG_USEC: how long this process may be silent; 0 for ever.
  std::chrono::microseconds watchdog{0};
  /// WATCHDOG_PID: the process that must not be silent; 0 for any.
  pid_t watched = 0;

  /// Empty variables and numbers that cannot be read count as absent.
  static manager_settings of_environment();
};

/// Tells a service manager such as systemd about this process, in datagrams as sd_notify(3)
/// describes them. Never waits for it. One thread.
class service_manager {
public:
  /// Messages that wait because the socket is full. Each is told in the end, but for the oldest
  /// beyond these.
  static constexpr std::size_t unsent_limit = 8;
  static constexpr std::size_t status_limit_bytes = 512;

  /// Logs a warning if the socket cannot be used.
  explicit service_manager(const manager_settings& settings);

  /// Whether there is one. Without, nothing that is told has an effect.
  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }

  /// Tells a message: lines such as `READY=1`. If the socket is full, `send_unsent` sends it later.
  void tell(std::string message);
  /// Tells a message that is worth nothing later, such as `WATCHDOG=1`. Whether it was sent.
  bool tell_now(std::string_view message);
  bool has_unsent() const noexcept { return !unsent_.empty(); }
  void send_unsent();

  /// How long this process, or one that it has replaced, may be silent; 0: for ever.
  std::chrono::microseconds watchdog() const noexcept;
  /// The process has taken the place of `predecessor`, also for the watchdog.
  void succeed(pid_t predecessor);

private:
  /// `failed`: nobody is there to read it.
  enum class outcome : std::uint8_t { sent, full, failed };
  outcome send(std::string_view message);

  manager_settings settings_;
  sockaddr_un where_{};
  socklen_t where_bytes_ = 0;
  base::file_descriptor socket_;
  bool has_failed_ = false;
  std::deque<std::string> unsent_;
};

/// A line `STATUS=..` for people: without line ends, cut to `status_limit_bytes`.
std::string status_line(std::string_view text);

} // namespace matchcloud::app
