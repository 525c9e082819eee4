#include "load/server_address.hpp"

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

namespace matchcloud::load {

namespace {

/// Tries one connection, so that an unreachable service is reported at once. Returns what is wrong,
/// or nothing (empty).
std::string refusal(const network_address& at, std::chrono::milliseconds timeout,
                    const cli::interrupt& signals) {
  const base::file_descriptor probe{
      ::socket(at.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!probe) return reason_of(errno);
  if (::connect(probe.get(), at.get(), at.length) == 0) return {};
  if (errno != EINPROGRESS) return reason_of(errno);
  const auto until = base::machine_clock().now() + timeout;
  pollfd watched{probe.get(), POLLOUT, 0};
  while (::poll(&watched, 1, static_cast<int>(look_often.count())) <= 0) {
    if (signals.came()) return "a signal arrived before it responded";
    if (base::machine_clock().now() >= until) return reason_of(ETIMEDOUT);
  }
  int code = 0;
  socklen_t size = sizeof code;
  ::getsockopt(probe.get(), SOL_SOCKET, SO_ERROR, &code, &size);
  return code == 0 ? std::string{} : reason_of(code);
}

} // namespace

base::expected<network_address> resolve(const model::http_url& url,
                                        std::chrono::milliseconds timeout,
                                        const cli::interrupt& signals) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code =
      ::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found);
  if (code != 0) return base::fail(base::errc::io_failed, url.host + ": " + ::gai_strerror(code));
  std::string why;
  network_address reached;
  for (const auto* each = found; each != nullptr && reached.length == 0; each = each->ai_next) {
    network_address address;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.length = each->ai_addrlen;
    why = refusal(address, timeout, signals);
    if (why.empty()) reached = address;
  }
  ::freeaddrinfo(found);
  if (reached.length == 0)
    return base::fail(base::errc::io_failed, url.authority() + " cannot be reached: " + why);
  return reached;
}

std::vector<network_address> source_addresses(std::size_t count) {
  constexpr std::uint32_t first = 0x7f010000;
  constexpr std::size_t per_block = 250;
  std::vector<network_address> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto& address = reinterpret_cast<sockaddr_in&>(made[i].storage);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr =
        htonl(first + static_cast<std::uint32_t>((i / per_block) << 8U | (i % per_block + 1)));
    made[i].length = sizeof address;
  }
  return made;
}

bool is_ipv4_loopback(const network_address& address) {
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address.storage);
  return address.storage.ss_family == AF_INET && (ntohl(v4.sin_addr.s_addr) >> 24U) == 127;
}

} // namespace matchcloud::load
