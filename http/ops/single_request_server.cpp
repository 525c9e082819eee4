#include "http/ops/single_request_server.hpp"

#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace matchcloud::http {

namespace {

using std::chrono::steady_clock;

/// Whether `fd` becomes ready for `events` within `timeout_ms`.
bool wait_for(int fd, short events, int timeout_ms) {
  pollfd watched{fd, events, 0};
  int ready = 0;
  do
    ready = ::poll(&watched, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

/// The stream through which cpp-httplib reads and writes a connection. Reads are buffered, because
/// cpp-httplib reads heads byte by byte. Functions that are virtual only in later versions have no
/// `override`.
class httplib_stream final : public httplib::Stream {
public:
  httplib_stream(int fd, int read_timeout_ms, int write_timeout_ms)
      : fd_{fd}, read_timeout_ms_{read_timeout_ms}, write_timeout_ms_{write_timeout_ms} {}

  bool is_readable() const override {
    return filled_ > taken_ || wait_for(fd_, POLLIN, read_timeout_ms_);
  }
  bool wait_readable() const { return is_readable(); }
  bool is_writable() const override { return wait_for(fd_, POLLOUT, write_timeout_ms_); }
  bool wait_writable() const { return is_writable(); }
  time_t duration() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begun_)
        .count();
  }

  /// To be called when the head has been read: its limits no longer apply.
  void end_head() noexcept { in_head_ = false; }

  ssize_t read(char* into, size_t size) override {
    if (is_over_limits()) return -1;
    if (taken_ == filled_) {
      if (!wait_for(fd_, POLLIN, patience_ms())) return -1;
      const auto got = ::recv(fd_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (got <= 0) return got;
      taken_ = 0;
      filled_ = static_cast<std::size_t>(got);
    }
    const auto count = std::min(size, filled_ - taken_);
    std::memcpy(into, buffer_.data() + taken_, count);
    taken_ += count;
    head_bytes_ += in_head_ ? count : 0;
    // cpp-httplib reads byte by byte only within lines (of the head, or with a chunk's size).
    line_bytes_ = size == 1 && *into != '\n' ? line_bytes_ + 1 : 0;
    return static_cast<ssize_t>(count);
  }

  // Writes everything or fails, because not every caller in cpp-httplib continues after a partial
  // write.
  ssize_t write(const char* from, size_t size) override {
    for (std::size_t sent = 0; sent < size;) {
      if (!is_writable()) return -1;
      const auto done = ::send(fd_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (done < 0 && errno != EAGAIN && errno != EINTR) return -1;
      sent += static_cast<std::size_t>(std::max<ssize_t>(done, 0));
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    name(::getpeername, ip, port);
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    name(::getsockname, ip, port);
  }
  socket_t socket() const override { return fd_; }

private:
  /// Whether the head or a line exceeds its limits. cpp-httplib itself accepts any number of lines
  /// of any length.
  bool is_over_limits() const {
    return line_bytes_ > single_request_server::line_limit_bytes ||
           head_bytes_ > single_request_server::head_limit_bytes ||
           (in_head_ && duration() >= single_request_server::head_timeout_ms);
  }

  /// How long to wait for the next bytes.
  int patience_ms() const {
    if (!in_head_) return read_timeout_ms_;
    const auto left = single_request_server::head_timeout_ms - duration();
    return std::clamp(static_cast<int>(left), 0, read_timeout_ms_);
  }

  template <class Ask>
  void name(Ask ask, std::string& ip, int& port) const {
    sockaddr_storage found{};
    socklen_t length = sizeof found;
    if (ask(fd_, reinterpret_cast<sockaddr*>(&found), &length) != 0) return;
    if (found.ss_family != AF_INET && found.ss_family != AF_INET6) return;
    const auto at = endpoint_of(found);
    ip = model::to_string(at.address);
    port = at.port;
  }

  int fd_;
  int read_timeout_ms_;
  int write_timeout_ms_;
  steady_clock::time_point begun_ = steady_clock::now();
  std::array<char, 4096> buffer_;
  std::size_t taken_ = 0;
  std::size_t filled_ = 0;
  bool in_head_ = true;
  std::size_t head_bytes_ = 0;
  /// Bytes read one by one since the last line end.
  std::size_t line_bytes_ = 0;
};

/// Whether the client may send more than the head. A POST or PUT without a length may still be
/// followed by a body.
bool may_have_body(const httplib::Request& request) {
  const bool is_bodiless = request.method != "POST" && request.method != "PUT";
  const auto length = request.get_header_value("Content-Length");
  return request.has_header("Transfer-Encoding") || (length.empty() ? !is_bodiless : length != "0");
}

/// Shuts down the sending direction and discards further input, up to the linger limits, so that
/// closing does not reset the connection before the client has read the answer.
void linger(int fd) {
  ::shutdown(fd, SHUT_WR);
  const auto until =
      steady_clock::now() + std::chrono::milliseconds{single_request_server::linger_limit_ms};
  std::array<char, 16 * 1024> dropped;
  for (std::size_t left = single_request_server::linger_limit_bytes; left > 0;) {
    const auto time = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    if (time.count() <= 0 || !wait_for(fd, POLLIN, static_cast<int>(time.count()))) return;
    const auto got = ::recv(fd, dropped.data(), dropped.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
    left -= std::min(left, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
}

} // namespace

single_request_server::single_request_server(const httplib_settings& settings)
    : httplib_server{settings}, stop_{::eventfd(0, EFD_CLOEXEC)} {
  if (!stop_) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

base::expected<endpoint> single_request_server::bind(const endpoint& where) {
  auto bound = httplib_server::bind(where);
  if (!bound) return bound;
  return adopt(base::file_descriptor{svr_sock_}, *bound);
}

base::expected<endpoint> single_request_server::adopt(base::file_descriptor listening,
                                                      const endpoint& where) {
  // Non-blocking, because another process may take the connection that this one was woken for (see
  // `next_connection`).
  if (::fcntl(listening.get(), F_SETFL, O_NONBLOCK) != 0 ||
      ::listen(listening.get(), backlog_) != 0)
    return base::fail(base::errc::address_unavailable,
                      to_string(where) + ": " + std::strerror(errno));
  listening_ = std::move(listening);
  // cpp-httplib only compares this with INVALID_SOCKET, to see whether the server is stopping; this
  // class does all else with the socket.
  svr_sock_ = listening_.get();
  bound_ = where;
  return where;
}

void single_request_server::stop_listening() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_.get(), &one, sizeof one));
}

void single_request_server::accept_and_serve() {
  const std::unique_ptr<httplib::TaskQueue> threads{new_task_queue()};
  while (auto client = next_connection())
    // The task must be copyable, and a file_descriptor is not.
    threads->enqueue([this, fd = client.release()] { process_and_close_socket(fd); });
  listening_.reset();
  threads->shutdown();
}

base::file_descriptor single_request_server::next_connection() {
  int pause_ms = -1;
  while (true) {
    // While the process is out of descriptors, the listener is not polled: the connection that
    // waits would wake this thread again and again.
    std::array<pollfd, 2> watched{pollfd{stop_.get(), POLLIN, 0},
                                  pollfd{pause_ms < 0 ? listening_.get() : -1, POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), pause_ms) < 0) continue;
    if (watched[0].revents != 0) return {};
    base::file_descriptor client{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (client) return client;
    const bool exhausted =
        errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    pause_ms = exhausted ? accept_pause_ms : -1;
  }
}

template <class Self>
bool single_request_server::process(Self& self, httplib::Stream& stream,
                                    const std::function<void(httplib::Request&)>& setup) {
  bool closed = false;
  if constexpr (requires { self.Self::process_request(stream, true, closed, setup); }) {
    return self.Self::process_request(stream, true, closed, setup);
  } else { // cpp-httplib 0.18 and later
    std::string remote;
    std::string local;
    int remote_port = 0;
    int local_port = 0;
    stream.get_remote_ip_and_port(remote, remote_port);
    stream.get_local_ip_and_port(local, local_port);
    return self.Self::process_request(stream, remote, remote_port, local, local_port, true, closed,
                                      setup);
  }
}

bool single_request_server::process_and_close_socket(socket_t socket) {
  const base::file_descriptor owned{socket};
  httplib_stream stream{socket, static_cast<int>(read_timeout_sec_ * 1'000),
                        static_cast<int>(write_timeout_sec_ * 1'000)};
  // Stays true where no request could be parsed: such a client may send more, too.
  bool more_may_come = true;
  const auto done = process(*this, stream, [&](httplib::Request& request) {
    stream.end_head();
    more_may_come = may_have_body(request);
  });
  if (more_may_come) linger(socket);
  return done;
}

} // namespace matchcloud::http
