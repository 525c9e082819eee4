#include "app/process/service_manager.hpp"

#include "base/decimal.hpp"
#include "base/events/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace matchcloud::app {

namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): see the header
  return value == nullptr ? "" : value;
}

} // namespace

manager_settings manager_settings::take_from_environment() {
  constexpr std::uint64_t longest = INT64_MAX;
  const auto given = base::parse_decimal<std::uint64_t>(variable("WATCHDOG_USEC")).value_or(0);
  const auto watched = base::parse_decimal<pid_t>(variable("WATCHDOG_PID")).value_or(0);
  if (watched != 0)
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  return {std::string{variable("NOTIFY_SOCKET")},
          std::chrono::microseconds{std::min(given, longest)}, watched};
}

service_manager::service_manager(const manager_settings& settings)
    : settings_{settings}, where_{settings.socket} {
  const auto& name = settings_.socket;
  if (name.empty()) return;
  if ((name.front() != '@' && name.front() != '/') || name.size() > where_.limit_bytes) {
    base::log(base::log_event::manager_failed,
              "NOTIFY_SOCKET is {}, but must be an absolute path, or @ and a name, of at most {} "
              "bytes; the service manager gets no messages",
              name, base::unix_address::limit_bytes);
    return;
  }
  socket_ = base::file_descriptor{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!socket_)
    base::log(base::log_event::manager_failed,
              "the service manager gets no messages (NOTIFY_SOCKET): a socket cannot be made: {}",
              std::generic_category().message(errno));
}

void service_manager::tell(std::string message) {
  if (!socket_) return;
  if (unsent_.size() == unsent_limit) unsent_.pop_front();
  unsent_.push_back(std::move(message));
  send_unsent();
}

bool service_manager::tell_now(std::string_view message) {
  return socket_ && unsent_.empty() && send(message) == outcome::sent;
}

void service_manager::send_unsent() {
  while (!unsent_.empty() && send(unsent_.front()) != outcome::full)
    unsent_.pop_front();
}

service_manager::outcome service_manager::send(std::string_view message) {
  const auto sent = ::sendto(socket_.get(), message.data(), message.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL, where_.get(), where_.bytes);
  if (sent >= 0) {
    has_failed_ = false;
    return outcome::sent;
  }
  if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) return outcome::full;
  const auto why = errno;
  if (!std::exchange(has_failed_, true))
    base::log(base::log_event::manager_failed,
              "the service manager cannot be reached at {} (NOTIFY_SOCKET): {}", settings_.socket,
              std::generic_category().message(why));
  return outcome::failed;
}

std::chrono::microseconds service_manager::watchdog() const noexcept {
  const bool is_watched = settings_.watched == 0 || settings_.watched == ::getpid();
  return socket_ && is_watched ? settings_.watchdog : std::chrono::microseconds{0};
}

void service_manager::succeed(pid_t predecessor) {
  if (settings_.watched == predecessor) settings_.watched = ::getpid();
}

std::string status_line(std::string_view text) {
  auto end = std::min(text.size(), service_manager::status_limit_bytes);
  const auto is_continuation = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
  };
  while (end > 0 && end < text.size() && is_continuation(text[end]))
    --end;
  std::string line{text.substr(0, end)};
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return "STATUS=" + line;
}

} // namespace matchcloud::app
