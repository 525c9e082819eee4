#pragma once

#include "base/files/file_descriptor.hpp"
#include "base/files/unix_address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// What a service manager expects, according to the environment.
struct manager_settings {
  /// NOTIFY_SOCKET: a path, or `@` and an abstract name; empty if no manager wants messages.
  std::string socket;
  /// WATCHDOG_USEC: how long this process may be silent; 0: forever.
  std::chrono::microseconds watchdog{0};
  /// WATCHDOG_PID: the process that must not be silent; 0: any.
  pid_t watched = 0;

  /// Empty variables and numbers that cannot be read count as absent. Changes WATCHDOG_PID to this
  /// process for a successor, which takes the watchdog over from it; call before there are threads.
  static manager_settings take_from_environment();
};

/// Informs a service manager such as systemd about this process, in datagrams (sd_notify(3)). Never
/// waits for it. One thread.
class service_manager {
public:
  /// The most messages that wait while the socket is full. Beyond them the oldest is dropped; all
  /// others are sent later.
  static constexpr std::size_t unsent_limit = 8;
  static constexpr std::size_t status_limit_bytes = 512;

  /// Logs a warning if the socket cannot be used.
  explicit service_manager(const manager_settings& settings);

  /// Whether there is a service manager. Without one, messages have no effect.
  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }

  /// Sends a message: lines such as `READY=1`. If the socket is full, `send_unsent` sends it later.
  void tell(std::string message);
  /// Sends a message that would be useless later, such as `WATCHDOG=1`. Returns whether it was
  /// sent.
  bool tell_now(std::string_view message);
  bool has_unsent() const noexcept { return !unsent_.empty(); }
  void send_unsent();

  /// How long this process, or one that it has replaced, may be silent; 0: forever.
  std::chrono::microseconds watchdog() const noexcept;
  /// The process has replaced `predecessor`, also for the watchdog.
  void succeed(pid_t predecessor);

private:
  /// `failed`: there is no reader.
  enum class outcome : std::uint8_t { sent, full, failed };
  outcome send(std::string_view message);

  manager_settings settings_;
  base::unix_address where_;
  base::file_descriptor socket_;
  bool has_failed_ = false;
  std::deque<std::string> unsent_;
};

/// A line `STATUS=..` for people: without line ends, cut to `status_limit_bytes`.
std::string status_line(std::string_view text);

} // namespace matchcloud::app
