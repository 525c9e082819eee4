#include "tests/load/scripted_server.hpp"

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

namespace {

std::size_t body_length(const std::string& head) {
  const std::string name = "\r\nContent-Length: ";
  const auto at = head.find(name);
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + name.size()));
}

} // namespace

scripted_server::scripted_server(std::function<std::string(const received_request&)> answer)
    : answer_{std::move(answer)},
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

scripted_server::~scripted_server() {
  ::eventfd_write(ended_.get(), 1);
  acceptor_.join();
  for (auto& thread : threads_)
    thread.join();
}

std::vector<received_request> scripted_server::requests() const {
  const std::lock_guard lock{mutex_};
  return requests_;
}

bool scripted_server::can_read(int fd) const {
  std::array<pollfd, 2> watched{pollfd{ended_.get(), POLLIN, 0}, pollfd{fd, POLLIN, 0}};
  ::poll(watched.data(), watched.size(), -1);
  return watched[0].revents == 0;
}

void scripted_server::accept_all() {
  for (int connection = 0; can_read(listener_.get()); ++connection) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) threads_.emplace_back([this, fd, connection] { serve(fd, connection); });
  }
}

void scripted_server::serve(int fd, int connection) {
  const base::file_descriptor socket{fd};
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::string unread;
  while (can_read(fd)) {
    std::array<char, 4096> buffer;
    const auto got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    unread.append(buffer.data(), static_cast<std::size_t>(got));
    const auto end = unread.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    const auto head = unread.substr(0, end + 2);
    const auto length = body_length(head);
    if (unread.size() < end + 4 + length) continue;
    const auto reply = answer_to({connection, head, unread.substr(end + 4, length)});
    unread.erase(0, end + 4 + length);
    for (std::size_t sent = 0; sent < reply.size();) {
      const auto moved = ::send(fd, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
      if (moved <= 0) return;
      sent += static_cast<std::size_t>(moved);
    }
    if (reply.empty() || reply.find("\r\nConnection: close\r\n") != std::string::npos) return;
  }
}

std::string scripted_server::answer_to(received_request request) {
  const std::lock_guard lock{mutex_};
  requests_.push_back(std::move(request));
  return answer_(requests_.back());
}

} // namespace matchcloud::load
