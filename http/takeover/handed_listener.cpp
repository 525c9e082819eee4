#include "http/takeover/handed_listener.hpp"

#include "base/io_failure.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>

namespace matchcloud::http {

namespace {

constexpr std::string_view ops_prefix = "ops ";
constexpr std::string_view proxy_suffix = "/proxy";

std::optional<int> option_of(int fd, int option) noexcept {
  int value = 0;
  socklen_t length = sizeof value;
  if (::getsockopt(fd, SOL_SOCKET, option, &value, &length) != 0) return std::nullopt;
  return value;
}

} // namespace

std::string to_string(const handed_listener& listener) {
  using purpose = handed_listener::purpose;
  const auto where = to_string(listener.where);
  switch (listener.serves) {
  case purpose::data: return where;
  case purpose::data_behind_proxy: return where + std::string{proxy_suffix};
  case purpose::ops: return std::string{ops_prefix} + where;
  }
  return where;
}

base::expected<handed_listener> parse_handed_listener(std::string_view text) {
  using purpose = handed_listener::purpose;
  auto serves = purpose::data;
  if (text.starts_with(ops_prefix)) {
    serves = purpose::ops;
    text.remove_prefix(ops_prefix.size());
  } else if (text.ends_with(proxy_suffix)) {
    serves = purpose::data_behind_proxy;
    text.remove_suffix(proxy_suffix.size());
  }
  const auto where = parse_endpoint(text);
  if (!where) return tl::unexpected(where.error());
  return handed_listener{*where, serves, {}};
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
  const auto domain = option_of(fd, SO_DOMAIN);
  if (domain != AF_INET && domain != AF_INET6) return false;
  if (option_of(fd, SO_TYPE) != SOCK_STREAM || option_of(fd, SO_ACCEPTCONN) != 1) return false;
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
         endpoint_of(own) == where;
}

} // namespace matchcloud::http
