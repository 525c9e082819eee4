#include "tests/load/scripted_server.hpp"

#include <sys/socket.h>

#include <array>
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
    : answer_{std::move(answer)}, server_{[this](int fd, int connection) {
        serve(fd, connection);
      }} {}

std::vector<received_request> scripted_server::requests() const {
  const std::lock_guard lock{mutex_};
  return requests_;
}

void scripted_server::serve(int fd, int connection) {
  std::string unread;
  while (server_.wait_readable(fd)) {
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
