// The floor that script/bench floor measures against: the least that a single-threaded server can
// do for a request. It uses level-triggered epoll, one recv, a search for the ends of requests, and
// one send of prepared bytes. It reads nothing else of a request.
//
//   bare REPLY_FILE [BODY_BYTES [parse]]
//
// REPLY_FILE has a whole answer, including its head. BODY_BYTES: the size of the body after each
// head. `parse`: also parse each body in place with RapidJSON, with the flags of the service, and
// drop the result. A client that breaks these rules ends the program.
#include <rapidjson/document.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::size_t read_bytes = 64UL * 1024;
constexpr int events_per_turn = 256;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "bare: %s: %s\n", what, std::strerror(errno));
  std::_Exit(1);
}

/// The part of an incomplete request that a connection has sent.
struct client {
  std::string partial;
};

class server {
public:
  server(std::string reply, std::size_t body_bytes, bool parses)
      : reply_{std::move(reply)}, body_bytes_{body_bytes}, parses_{parses} {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    if (listener_ < 0 || bind(listener_, address, length) != 0 || listen(listener_, 4096) != 0 ||
        getsockname(listener_, address, &length) != 0)
      give_up("cannot listen");
    watch(listener_);
    std::printf("listening on http://127.0.0.1:%d\n", ntohs(at.sin_port));
    std::fflush(stdout);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, events_per_turn> events{};
    for (;;) {
      const int count = epoll_wait(epoll_, events.data(), events_per_turn, -1);
      for (int i = 0; i < count; ++i) {
        const int which = events[static_cast<std::size_t>(i)].data.fd;
        which == listener_ ? accept_one() : serve(which);
      }
    }
  }

private:
  void watch(int which) const {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = which;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, which, &wanted) != 0) give_up("cannot watch");
  }

  void accept_one() {
    const int accepted = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) return;
    const int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (clients_.size() <= static_cast<std::size_t>(accepted))
      clients_.resize(static_cast<std::size_t>(accepted) + 1);
    watch(accepted);
  }

  void serve(int which) {
    const auto got = recv(which, buffer_.data(), buffer_.size(), 0);
    auto& partial = clients_[static_cast<std::size_t>(which)].partial;
    if (got <= 0) {
      if (got < 0 && errno == EAGAIN) return;
      partial.clear();
      close(which);
      return;
    }
    std::string_view bytes{buffer_.data(), static_cast<std::size_t>(got)};
    if (!partial.empty()) bytes = partial.append(bytes);
    const auto taken = answer_all(which, bytes);
    if (taken == bytes.size()) return partial.clear();
    partial = std::string{bytes.substr(taken)};
  }

  /// Answers the complete requests at the start of `bytes`. Returns their size.
  std::size_t answer_all(int which, std::string_view bytes) {
    std::size_t taken = 0;
    for (;;) {
      const auto end = bytes.find(head_end, taken);
      if (end == bytes.npos) return taken;
      const auto next = end + head_end.size() + body_bytes_;
      if (next > bytes.size()) return taken;
      if (parses_) parse(bytes.substr(end + head_end.size(), body_bytes_));
      taken = next;
      send_reply(which);
    }
  }

  void parse(std::string_view body) {
    constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag |
                               rapidjson::kParseNumbersAsStringsFlag;
    body_.assign(body);
    rapidjson::Document document;
    if (document.ParseInsitu<flags>(body_.data()).HasParseError()) give_up("a body is not JSON");
  }

  void send_reply(int which) const {
    const auto sent = send(which, reply_.data(), reply_.size(), MSG_NOSIGNAL);
    if (sent >= 0 && static_cast<std::size_t>(sent) != reply_.size()) give_up("no room to send");
  }

  std::string reply_;
  std::size_t body_bytes_;
  bool parses_;
  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  int listener_ = -1;
  std::vector<client> clients_;
  std::vector<char> buffer_ = std::vector<char>(read_bytes);
  std::string body_;
};

} // namespace

int main(int count, char** words) {
  if (count < 2 || count > 4) {
    std::fprintf(stderr, "bare: usage: bare REPLY_FILE [BODY_BYTES [parse]]\n");
    return 2;
  }
  std::ifstream file{words[1], std::ios::binary};
  std::string reply{std::istreambuf_iterator<char>{file}, {}};
  if (!file || reply.empty()) give_up(words[1]);
  const auto body_bytes = count > 2 ? std::strtoul(words[2], nullptr, 10) : 0;
  server{std::move(reply), body_bytes, count > 3}.run();
}
