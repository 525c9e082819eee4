#include "tests/load/threaded_server.hpp"

#include "tests/fixtures/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace matchcloud::load {

threaded_server::threaded_server(std::function<void(int, int)> serve)
    : serve_{std::move(serve)},
      listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)},
      ended_{::eventfd(0, EFD_CLOEXEC)} {
  auto address = fixtures::loopback_address(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), any, size) != 0 || ::listen(listener_.get(), SOMAXCONN) != 0 ||
      ::getsockname(listener_.get(), any, &size) != 0)
    throw std::runtime_error{"cannot listen"};
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

threaded_server::~threaded_server() {
  ::eventfd_write(ended_.get(), 1);
  acceptor_.join();
  for (auto& thread : threads_)
    thread.join();
}

bool threaded_server::wait_readable(int fd) const {
  std::array<pollfd, 2> watched{pollfd{ended_.get(), POLLIN, 0}, pollfd{fd, POLLIN, 0}};
  ::poll(watched.data(), watched.size(), -1);
  return watched[0].revents == 0;
}

bool threaded_server::pause_until(std::chrono::steady_clock::time_point when) const {
  using clock = std::chrono::steady_clock;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(when - clock::now());
    if (left.count() <= 0) return true;
    const timespec pause{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    pollfd watched{ended_.get(), POLLIN, 0};
    if (::ppoll(&watched, 1, &pause, nullptr) > 0) return false;
  }
}

void threaded_server::accept_all() {
  for (int connection = 0; wait_readable(listener_.get());) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    threads_.emplace_back([this, fd, number = connection++] {
      const base::file_descriptor socket{fd};
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      serve_(fd, number);
    });
  }
}

} // namespace matchcloud::load
