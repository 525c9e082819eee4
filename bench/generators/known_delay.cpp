// The server of script/bench generators, whose delays are known: it answers each request 5 ms after
// it has read it, and each fiftieth after 50 ms. It says how long answers took as it sent them.
//
//   known_delay [stalls]
//
// `stalls`: each answer takes 5 ms, and in each 5 s after the first request the server does nothing
// for 500 ms, from 2 s on. It prints its port, and on SIGTERM one line of JSON. Requests have no
// body, and none is sent before the last answer.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <queue>
#include <string_view>
#include <vector>

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t usual_delay = 5 * ms;
constexpr std::int64_t long_delay = 50 * ms;
constexpr std::uint64_t one_long_in = 50;
constexpr std::int64_t stall_period = 5'000 * ms;
constexpr std::int64_t stall_begin = 2'000 * ms;
constexpr std::int64_t stall_length = 500 * ms;
constexpr std::string_view reply =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
    "Connection: keep-alive\r\n\r\nok";

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "known_delay: %s: %s\n", what, std::strerror(errno));
  std::_Exit(1);
}

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// An answer that is to be sent.
struct answer {
  std::int64_t due;
  std::int64_t read;
  int to;
  std::uint64_t connection;

  bool operator>(const answer& other) const { return due > other.due; }
};

class server {
public:
  explicit server(bool stalls) : stalls_{stalls} {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    ended_ = signalfd(-1, &signals, SFD_CLOEXEC);
    // The kernel may wake other programs 50 us late, so that it wakes several together.
    prctl(PR_SET_TIMERSLACK, 1);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    if (listener_ < 0 || bind(listener_, address, length) != 0 || listen(listener_, 4096) != 0 ||
        getsockname(listener_, address, &length) != 0)
      give_up("cannot listen");
    for (const int fd : {listener_, timer_, ended_})
      watch(fd);
    std::printf("listening on http://127.0.0.1:%d\n", ntohs(at.sin_port));
    std::fflush(stdout);
  }

  void run() {
    std::array<epoll_event, 256> events;
    for (bool ended = false; !ended;) {
      const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
      stall();
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        ended = ended || fd == ended_;
        if (fd == listener_) accept_all();
        if (fd != listener_ && fd != timer_ && fd != ended_) read_request(fd);
      }
      send_due();
    }
    report();
  }

private:
  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) give_up("epoll_ctl");
  }

  void accept_all() {
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connections_[fd] = ++last_connection_;
      watch(fd);
    }
  }

  void read_request(int fd) {
    std::array<char, 8'192> bytes;
    const auto got = recv(fd, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EAGAIN) return;
    const std::string_view text{bytes.data(), static_cast<std::size_t>(std::max<long>(0, got))};
    // Heads are short, and loopback does not cut them.
    if (!text.ends_with("\r\n\r\n")) {
      connections_.erase(fd);
      close(fd);
      return;
    }
    const auto read = now();
    if (first_ == 0) first_ = read;
    const bool is_long = !stalls_ && ++requests_ % one_long_in == 0;
    answers_.push({read + (is_long ? long_delay : usual_delay), read, fd, connections_[fd]});
  }

  void send_due() {
    while (!answers_.empty() && answers_.top().due <= now()) {
      const auto next = answers_.top();
      answers_.pop();
      const auto connection = connections_.find(next.to);
      if (connection == connections_.end() || connection->second != next.connection) continue;
      took_.push_back(now() - next.read);
      send(next.to, reply.data(), reply.size(), MSG_NOSIGNAL);
    }
    if (answers_.empty()) return disarm();
    const auto due = answers_.top().due;
    const itimerspec when{{0, 0}, {due / 1'000'000'000, due % 1'000'000'000}};
    // Setting it also takes back that it has expired.
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
  }

  void disarm() const {
    const itimerspec never{};
    timerfd_settime(timer_, 0, &never, nullptr);
  }

  void stall() const {
    if (!stalls_ || first_ == 0) return;
    const auto into = (now() - first_) % stall_period;
    if (into < stall_begin || into >= stall_begin + stall_length) return;
    const auto left = stall_begin + stall_length - into;
    const timespec pause{left / 1'000'000'000, left % 1'000'000'000};
    pollfd end{ended_, POLLIN, 0};
    ppoll(&end, 1, &pause, nullptr);
  }

  void report() {
    std::sort(took_.begin(), took_.end());
    const auto at = [this](double share) {
      const auto count = static_cast<double>(took_.size());
      return took_.empty()
                 ? 0.0
                 : static_cast<double>(
                       took_[static_cast<std::size_t>(std::min(count - 1, count * share))]) /
                       1e6;
    };
    std::printf("{\"answers\":%zu,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}\n", took_.size(),
                at(0.5), at(0.99), at(1));
    std::fflush(stdout);
  }

  bool stalls_;
  int epoll_ = -1;
  int listener_ = -1;
  int timer_ = -1;
  int ended_ = -1;
  std::int64_t first_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t last_connection_ = 0;
  std::map<int, std::uint64_t> connections_;
  std::priority_queue<answer, std::vector<answer>, std::greater<>> answers_;
  std::vector<std::int64_t> took_;
};

} // namespace

int main(int count, char* words[]) {
  server{count > 1 && std::string_view{words[1]} == "stalls"}.run();
}
