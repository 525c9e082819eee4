#include "tests/store/s3/fault_proxy.hpp"

#include "base/characters.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

e2e::address address_of(const std::string& url) {
  if (url.empty()) return {};
  const auto colon = url.rfind(':');
  const auto host = url.find("//") + 2;
  return {url.substr(host, colon - host),
          static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)))};
}

/// Reads more into `to`. False at the end.
bool read_more(int socket, std::string& to) {
  std::array<char, 64 * 1024> buffer;
  const auto got = ::recv(socket, buffer.data(), buffer.size(), 0);
  if (got > 0) to.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

void write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// The position behind the head of a message; nothing if it is not whole.
std::optional<std::size_t> head_end(std::string_view message) {
  const auto end = message.find("\r\n\r\n");
  if (end == message.npos) return std::nullopt;
  return end + 4;
}

void flip(std::string& in, std::size_t at) {
  if (at < in.size()) in[at] = static_cast<char>(in[at] ^ 1);
}

/// A connection to the service, which ends after one answer.
class upstream {
public:
  explicit upstream(const e2e::address& to) : connection_{to} {}

  void send(const seen_request& request, std::string_view body) {
    // Not among what is signed.
    auto head = request.head;
    head.insert(head.size() - 2, "Connection: close\r\n");
    connection_.send(head);
    (void)connection_.try_send(body);
  }
  std::string answer() {
    std::string all;
    const e2e::deadline until;
    while (e2e::wait_for(connection_.descriptor(), POLLIN, until) &&
           read_more(connection_.descriptor(), all)) {
    }
    return all;
  }

private:
  e2e::raw_connection connection_;
};

} // namespace

std::string seen_request::header(std::string_view name) const {
  std::string_view rest = head;
  for (auto end = rest.find("\r\n"); end != rest.npos; end = rest.find("\r\n")) {
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    const auto colon = line.find(": ");
    if (colon != line.npos && base::equal_ignoring_case(line.substr(0, colon), name))
      return std::string{line.substr(colon + 2)};
  }
  return {};
}

std::string canned(int status, std::string_view body, std::string_view more_headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) +
                     " canned\r\nContent-Length: " + std::to_string(body.size()) +
                     "\r\nConnection: close\r\n";
  return text.append(more_headers).append("\r\n").append(body);
}

std::string canned_error(int status, std::string_view code, std::string_view more_headers) {
  return canned(status,
                "<Error><Code>" + std::string{code} + "</Code><Message>why</Message></Error>",
                more_headers);
}

fault_proxy::fault_proxy(const std::string& service, plan how)
    : service_{address_of(service)},
      how_{std::move(how)},
      listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  auto any = fixtures::loopback_address(0);
  auto* const where = reinterpret_cast<sockaddr*>(&any);
  socklen_t length = sizeof any;
  REQUIRE(::bind(listener_.get(), where, length) == 0);
  REQUIRE(::listen(listener_.get(), 64) == 0);
  REQUIRE(::getsockname(listener_.get(), where, &length) == 0);
  port_ = ntohs(any.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

fault_proxy::~fault_proxy() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
    for (const auto& each : sockets_)
      ::shutdown(each.get(), SHUT_RDWR);
  }
  changed_.notify_all();
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  for (auto& each : threads_)
    each.join();
}

std::vector<seen_request> fault_proxy::seen() const {
  const std::lock_guard lock{mutex_};
  return seen_;
}

std::size_t fault_proxy::count(std::string_view method, std::string_view in_target) const {
  const auto all = seen();
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const seen_request& each) { return each.is(method, in_target); }));
}

bool fault_proxy::wait_for(std::size_t requests) const {
  std::unique_lock lock{mutex_};
  return changed_.wait_for(lock, e2e::patience, [&] { return seen_.size() >= requests; });
}

void fault_proxy::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock{mutex_};
    if (socket < 0 || ending_) {
      if (socket >= 0) ::close(socket);
      return;
    }
    sockets_.emplace_back(socket);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

proxy_action fault_proxy::decide(seen_request& request) {
  proxy_action action;
  {
    const std::lock_guard lock{mutex_};
    request.number = seen_.size();
    action = how_(request);
    seen_.push_back(request);
  }
  changed_.notify_all();
  return action;
}

void fault_proxy::serve(int socket) {
  std::string message;
  while (!head_end(message))
    if (!read_more(socket, message)) return;
  seen_request request;
  request.head = message.substr(0, *head_end(message));
  auto body = message.substr(request.head.size());
  const auto space = request.head.find(' ');
  request.method = request.head.substr(0, space);
  request.target = request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
  const auto action = decide(request);
  try {
    const auto length = request.header("content-length");
    const auto wanted = length.empty() ? 0 : std::stoul(length);
    while (body.size() < wanted)
      if (!read_more(socket, body)) return;
    body.resize(std::min<std::size_t>(body.size(), wanted));
    carry_out(socket, request, body, action);
  } catch (const std::exception&) {
    // The service is gone: so is this connection.
  }
  if (action.what == proxy_action::kind::hang) return;
  const std::lock_guard lock{mutex_};
  std::ranges::find(sockets_, socket, &base::file_descriptor::get)->reset();
}

void fault_proxy::carry_out(int socket, const seen_request& request, const std::string& body,
                            const proxy_action& action) {
  using kind = proxy_action::kind;
  if (action.what == kind::hang) return;
  if (action.what == kind::answer) {
    write_all(socket, action.text);
    return;
  }
  upstream service{service_};
  service.send(request, body);
  auto answer = service.answer();
  if (action.what == kind::lose_answer) return;
  const auto head = head_end(answer).value_or(answer.size());
  if (action.what == kind::change_answer) flip(answer, head + action.bytes);
  write_all(socket, answer);
}

} // namespace matchcloud::store
