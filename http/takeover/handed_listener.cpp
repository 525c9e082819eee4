#include "http/takeover/handed_listener.hpp"

#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>

namespace matchcloud::http {

namespace {

constexpr std::string_view ops_prefix = "ops ";

std::optional<int> option_of(int fd, int option) noexcept {
  int value = 0;
  socklen_t length = sizeof value;
  if (::getsockopt(fd, SOL_SOCKET, option, &value, &length) != 0) return std::nullopt;
  return value;
}

} // namespace

std::string to_string(const handed_listener& listener) {
  return std::string{listener.is_ops ? ops_prefix : ""}
      .append(to_string(listener.where))
      .append(suffix_of(listener.kind));
}

base::expected<handed_listener> parse_handed_listener(std::string_view text) {
  const bool is_ops = text.starts_with(ops_prefix);
  if (is_ops) text.remove_prefix(ops_prefix.size());
  const auto kind = take_suffix(text);
  const auto where = parse_endpoint(text);
  if (!where) return tl::unexpected(where.error());
  return handed_listener{*where, kind, is_ops, {}};
}

base::expected<std::vector<base::file_descriptor>>
duplicates_of(const std::vector<base::file_descriptor>& sockets) {
  std::vector<base::file_descriptor> all;
  for (const auto& each : sockets) {
    all.emplace_back(::fcntl(each.get(), F_DUPFD_CLOEXEC, 0));
    if (!all.back())
      return base::io_failure("take-over", "duplicate a socket", errno, base::errc::io_failed);
  }
  return all;
}

bool listens_at(int fd, const endpoint& where) noexcept {
  return option_of(fd, SO_TYPE) == SOCK_STREAM && option_of(fd, SO_ACCEPTCONN) == 1 &&
         endpoint_of(fd) == where;
}

} // namespace matchcloud::http
