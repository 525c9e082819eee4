#include "tests/app/client/scripted_server.hpp"

#include "tests/fixtures/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace matchcloud::app {

namespace {

/// Reads more bytes into `text`. False if the client is gone.
bool read_more(int connection, std::string& text) {
  std::array<char, 4096> block{};
  const auto got = ::recv(connection, block.data(), block.size(), 0);
  if (got <= 0) return false;
  text.append(block.data(), static_cast<std::size_t>(got));
  return true;
}

taken_request parse_head(const std::string& head) {
  taken_request request;
  std::istringstream lines{head};
  lines >> request.method >> request.target;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "\r") {
    const auto colon = line.find(':');
    auto name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    request.headers[name] = line.substr(colon + 2, line.size() - colon - 3);
  }
  return request;
}

} // namespace

scripted_server::scripted_server() : listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  auto address = fixtures::loopback_address(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 16) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0)
    throw std::runtime_error{"no listener"};
  port_ = ntohs(address.sin_port);
  thread_ = std::thread{[this] { serve(); }};
}

scripted_server::~scripted_server() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
}

std::string scripted_server::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

void scripted_server::then(scripted_answer answer) {
  const std::lock_guard lock{mutex_};
  script_.push_back(std::move(answer));
}

std::vector<taken_request> scripted_server::requests() const {
  const std::lock_guard lock{mutex_};
  return requests_;
}

void scripted_server::serve() {
  while (true) {
    const base::file_descriptor connection{
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!connection) return;
    serve(connection.get());
  }
}

void scripted_server::serve(int connection) {
  std::string text;
  while (text.find("\r\n\r\n") == std::string::npos)
    if (!read_more(connection, text)) return;
  const auto body_at = text.find("\r\n\r\n") + 4;
  auto request = parse_head(text.substr(0, body_at));
  const auto length = request.header("content-length");
  while (!length.empty() && text.size() < body_at + std::stoul(length))
    if (!read_more(connection, text)) return;
  request.body = text.substr(body_at);

  scripted_answer answer;
  {
    const std::lock_guard lock{mutex_};
    requests_.push_back(request);
    if (requests_.size() <= script_.size()) answer = script_[requests_.size() - 1];
  }
  for (std::size_t sent = 0; sent < answer.bytes.size();) {
    const auto now =
        ::send(connection, answer.bytes.data() + sent, answer.bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += static_cast<std::size_t>(now);
  }
  while (answer.stays_open && read_more(connection, text)) {
  }
}

std::string answer_head(const std::string& status, std::size_t length, const std::string& more) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) + "\r\n" + more +
         "\r\n";
}

} // namespace matchcloud::app
