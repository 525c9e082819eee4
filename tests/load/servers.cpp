#include "tests/load/servers.hpp"

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

const std::string good_listing =
    R"({"regions":[{"region_id":"lon","region_display_name":"London","provider_display_name":"P",)"
    R"("datacenter_coord":{"latitude":51.5,"longitude":-0.1},)"
    R"("datacenter_distance_from_client":{"kilometers":2.6,"miles":1.6}},)"
    R"({"region_id":"fra","region_display_name":"Frankfurt","provider_display_name":"P",)"
    R"("datacenter_coord":{"latitude":50.1,"longitude":8.6},)"
    R"("datacenter_distance_from_client":{"kilometers":640.1,"miles":397.7}}]})";

namespace {

std::string authorization_in(const std::string& head) {
  const std::string name = "\r\nAuthorization: ";
  const auto at = head.find(name);
  if (at == std::string::npos) return {};
  const auto begin = at + name.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

} // namespace

std::string ok_reply(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

delayed_server::delayed_server(std::string reply, std::chrono::milliseconds delay)
    : reply_{std::move(reply)}, delay_{delay}, server_{[this](int fd, int connection) {
        serve(fd, connection);
      }} {}

void delayed_server::stall_once(std::chrono::milliseconds from, std::chrono::milliseconds length) {
  stall_from_ = from;
  stall_length_ = length;
}

void delayed_server::begin_with(std::uint64_t requests, std::string reply) {
  first_reply_ = std::move(reply);
  first_replies_ = requests;
}

std::vector<std::set<std::string>> delayed_server::authorizations() const {
  const std::lock_guard lock{mutex_};
  std::vector<std::set<std::string>> all;
  for (const auto& [connection, values] : authorizations_)
    all.push_back(values);
  return all;
}

void delayed_server::serve(int fd, int connection) {
  ++connections_;
  std::string unread;
  std::uint64_t answers = 0;
  while ((break_after_ == 0 || answers < break_after_) && server_.wait_readable(fd)) {
    std::array<char, 4096> buffer;
    const auto got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    unread.append(buffer.data(), static_cast<std::size_t>(got));
    // Only requests without a body are supported.
    const auto end = unread.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    {
      const std::lock_guard lock{mutex_};
      authorizations_[connection].insert(authorization_in(unread.substr(0, end + 2)));
    }
    unread.erase(0, end + 4);
    const auto& reply = requests_++ < first_replies_ ? first_reply_ : reply_;
    if (!server_.pause_until(due())) return;
    ++answers;
    // The last answer is sent together with the end of the stream.
    const int more = answers == break_after_ ? MSG_MORE : 0;
    ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL | more);
  }
}

std::chrono::steady_clock::time_point delayed_server::due() {
  const std::lock_guard lock{mutex_};
  const auto now = std::chrono::steady_clock::now();
  if (first_ == std::chrono::steady_clock::time_point{}) first_ = now;
  const auto stall = first_ + stall_from_;
  if (stall_length_.count() > 0 && now >= stall && now < stall + stall_length_)
    return stall + stall_length_;
  return now + delay_;
}

} // namespace matchcloud::load
