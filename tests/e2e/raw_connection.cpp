#include "tests/e2e/raw_connection.hpp"

#include "tests/e2e/json.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace matchcloud::e2e {

namespace {

struct socket_address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

socket_address to_socket_address(const address& where) {
  socket_address result;
  sockaddr_in v4{};
  if (::inet_pton(AF_INET, where.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(where.port);
    std::memcpy(&result.storage, &v4, sizeof v4);
    result.length = sizeof v4;
    return result;
  }
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET6, where.host.c_str(), &v6.sin6_addr) != 1)
    throw std::runtime_error{where.host + " is no address"};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(where.port);
  std::memcpy(&result.storage, &v6, sizeof v6);
  result.length = sizeof v6;
  return result;
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The head up to and without the empty line.
answer parse_head(std::string_view head) {
  answer result;
  const auto expect = [head](bool holds) {
    if (!holds) throw std::runtime_error{"malformed response head: " + std::string{head}};
  };
  expect(head.starts_with("HTTP/1.1 "));
  result.status = std::stoi(std::string{head.substr(9, 3)});
  for (auto at = head.find("\r\n"); at != head.npos;) {
    const auto begin = at + 2;
    at = head.find("\r\n", begin);
    const auto line = head.substr(begin, at == head.npos ? head.npos : at - begin);
    const auto colon = line.find(": ");
    expect(colon != line.npos);
    const auto added = result.headers.emplace(lower(line.substr(0, colon)), line.substr(colon + 2));
    expect(added.second);
  }
  return result;
}

} // namespace

std::string address::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string answer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string{} : found->second;
}

std::string answer::problem_code() const {
  return header("content-type") == "application/problem+json" ? text_at(parse_json(body), "code")
                                                              : std::string{};
}

raw_connection::raw_connection(const address& to, const std::string& from,
                               int receive_buffer_bytes) {
  if (!connect(to, from, receive_buffer_bytes))
    throw std::runtime_error{"no connection to " + to.authority()};
}

std::optional<raw_connection> raw_connection::try_connect(const address& to) {
  raw_connection made;
  if (!made.connect(to, {}, 0)) return std::nullopt;
  return made;
}

bool raw_connection::connect(const address& to, const std::string& from, int receive_buffer_bytes) {
  const auto where = to_socket_address(to);
  socket_ = base::file_descriptor{
      ::socket(where.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket_) return false;
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (receive_buffer_bytes > 0)
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof receive_buffer_bytes);
  if (!from.empty()) {
    const auto own = to_socket_address({from, 0});
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own.storage), own.length) != 0)
      return false;
  }
  const auto* plain = reinterpret_cast<const sockaddr*>(&where.storage);
  if (::connect(socket_.get(), plain, where.length) == 0) return true;
  if (errno != EINPROGRESS || !wait_for(socket_.get(), POLLOUT, deadline{})) return false;
  int failure = 0;
  socklen_t length = sizeof failure;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failure, &length);
  return failure == 0;
}

std::ptrdiff_t raw_connection::send_some(std::string_view bytes) {
  const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  return sent;
}

bool raw_connection::try_send(std::string_view bytes) {
  const deadline until;
  while (!bytes.empty()) {
    const auto sent = send_some(bytes);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent == 0 && !wait_for(socket_.get(), POLLOUT, until))
      throw std::runtime_error{"the server takes no bytes"};
  }
  return true;
}

void raw_connection::send(std::string_view bytes) {
  if (!try_send(bytes)) throw std::runtime_error{"the connection is gone while sending"};
}

bool raw_connection::read_more(const deadline& until) {
  std::array<char, 64 * 1024> buffer;
  while (true) {
    const auto got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(got));
      return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    if (!wait_for(socket_.get(), POLLIN, until))
      throw std::runtime_error{"nothing to read in time; unread: " + unread_.substr(0, 500)};
  }
}

std::optional<answer> raw_connection::try_receive(bool to_head) {
  const deadline until;
  auto end = unread_.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (!read_more(until)) {
      if (unread_.empty()) return std::nullopt;
      throw std::runtime_error{"half a response: " + unread_.substr(0, 500)};
    }
    end = unread_.find("\r\n\r\n");
  }
  auto result = parse_head(std::string_view{unread_}.substr(0, end));
  unread_.erase(0, end + 4);
  const auto length = result.header("content-length");
  // RFC 9110 section 8.6: the length of a 304 is that of what was not sent.
  to_head = to_head || result.status == 304;
  if (!to_head && !length.empty()) result.body = receive_bytes(std::stoul(length));
  return result;
}

answer raw_connection::receive(bool to_head) {
  auto result = try_receive(to_head);
  if (!result) throw std::runtime_error{"the connection ended without a response"};
  return *std::move(result);
}

answer raw_connection::ask(std::string_view request) {
  send(request);
  return receive(request.starts_with("HEAD "));
}

std::string raw_connection::receive_bytes(std::size_t count) {
  const deadline until;
  while (unread_.size() < count)
    if (!read_more(until)) throw std::runtime_error{"the connection ended within a response"};
  auto bytes = unread_.substr(0, count);
  unread_.erase(0, count);
  return bytes;
}

bool raw_connection::readable(milliseconds pause) const {
  return !unread_.empty() || readable_within(socket_.get(), pause);
}

bool raw_connection::closed(const deadline& until) {
  if (!unread_.empty() || !wait_for(socket_.get(), POLLIN, until)) return false;
  return !read_more(until);
}

void raw_connection::finish() {
  ::shutdown(socket_.get(), SHUT_WR);
}

void raw_connection::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket_.reset();
}

} // namespace matchcloud::e2e
