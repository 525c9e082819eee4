#include "http/transport/httplib_server.hpp"

#include "http/loop/byte_stream.hpp"

#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace matchcloud::http {

namespace {

/// cpp-httplib parses `Range` with std::regex, which takes about 500 bytes of stack per byte of the
/// line, and the line has up to 8 KiB.
constexpr std::size_t thread_stack_bytes = 16UL * 1024 * 1024;
/// Interval at which the ending server looks for connections that were accepted in the meantime.
constexpr std::chrono::milliseconds end_interval{20};

constexpr std::size_t requests_per_connection = 1'000'000'000;

/// Rounds up, to at least one: cpp-httplib takes whole seconds.
time_t seconds_of(std::chrono::milliseconds time) {
  return std::max<time_t>(1, std::chrono::ceil<std::chrono::seconds>(time).count());
}

void set_default_stack() {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, thread_stack_bytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/// cpp-httplib's threads, with a bound on the connections that wait for one. The stock queue takes
/// every connection at once, until no descriptor is left; here the accepting thread waits, and the
/// kernel's backlog holds further connections.
class bounded_pool final : public httplib::TaskQueue {
public:
  bounded_pool(std::size_t threads, std::size_t waiting_limit)
      : pool_{threads}, waiting_limit_{waiting_limit} {}

  // The return type of `enqueue` differs between versions of cpp-httplib.
  decltype(std::declval<httplib::TaskQueue&>().enqueue({}))
  enqueue(std::function<void()> serve) override {
    {
      std::unique_lock lock{mutex_};
      fewer_.wait(lock, [this] { return waiting_ < waiting_limit_; });
      ++waiting_;
    }
    return pool_.enqueue([this, serve = std::move(serve)] {
      {
        const std::lock_guard lock{mutex_};
        --waiting_;
      }
      fewer_.notify_one();
      serve();
    });
  }

  void shutdown() override { pool_.shutdown(); }

private:
  httplib::ThreadPool pool_;
  std::size_t waiting_limit_;
  std::mutex mutex_;
  std::condition_variable fewer_;
  std::size_t waiting_ = 0;
};

/// Calls `visit` with every open descriptor of this process.
template <class Visit>
void for_each_descriptor(Visit visit) {
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd", failure}) {
    const auto name = entry.path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    visit(fd);
  }
}

bool is_connection_of(int fd, const endpoint& where) {
  int listening = 0;
  socklen_t length = sizeof listening;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0 || listening != 0)
    return false;
  const auto own = endpoint_of(fd);
  const bool any_address =
      where.address == model::ip_address{} || where.address == *model::parse_ip_address("0.0.0.0");
  return own && own->port == where.port && (any_address || own->address == where.address);
}

} // namespace

httplib_server::httplib_server(const http::limits& limits, std::size_t waiting_limit)
    : backlog_{limits.listen_backlog} {
  new_task_queue = [threads = limits.httplib_threads, waiting_limit] {
    set_default_stack();
    // cpp-httplib deletes the pool.
    return new bounded_pool{threads, waiting_limit}; // NOLINT(cppcoreguidelines-owning-memory)
  };
  set_tcp_nodelay(true);
  set_keep_alive_max_count(requests_per_connection);
  set_keep_alive_timeout(seconds_of(limits.idle_timeout));
  set_read_timeout(seconds_of(limits.write_timeout));
  set_write_timeout(seconds_of(limits.write_timeout));
  set_payload_max_length(limits.body_limit_bytes);
  // cpp-httplib's default sets SO_REUSEPORT, with which two processes share a port without
  // noticing.
  set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    prepare_client_socket(socket);
  });
}

httplib_server::~httplib_server() {
  end();
}

void httplib_server::start(std::function<void()> on_ended) {
  thread_ = std::thread{[this, on_ended = std::move(on_ended)] { serve(on_ended); }};
  // Waits until the server runs: before that, cpp-httplib's `stop` does nothing.
  while (!is_running()) {
    const std::lock_guard lock{mutex_};
    if (ended_) return;
    std::this_thread::yield();
  }
}

void httplib_server::serve(const std::function<void()>& on_ended) {
  listen_after_bind();
  {
    const std::lock_guard lock{mutex_};
    ended_ = true;
  }
  changed_.notify_all();
  on_ended();
}

void httplib_server::stop_accepting() {
  // Called once only, because cpp-httplib's own `stop` closes a descriptor each time.
  if (!stopped_.exchange(true)) stop();
}

void httplib_server::end_input(const std::function<bool(const endpoint&)>& spares) {
  // cpp-httplib does not expose its sockets, so they are recognized by their local endpoint, which
  // is the listener's.
  for_each_descriptor([&](int fd) {
    if (!is_connection_of(fd, bound_)) return;
    const auto peer = spares ? endpoint_of(fd, getpeername) : std::nullopt;
    if (!peer || !spares(*peer)) ::shutdown(fd, SHUT_RD);
  });
}

void httplib_server::cut() {
  for_each_descriptor([&](int fd) {
    if (is_connection_of(fd, bound_)) ::shutdown(fd, SHUT_RDWR);
  });
}

void httplib_server::end() {
  if (!thread_.joinable()) return;
  stop_accepting();
  std::unique_lock lock{mutex_};
  do {
    end_input();
  } while (!changed_.wait_for(lock, end_interval, [this] { return ended_; }));
  lock.unlock();
  thread_.join();
}

base::expected<endpoint> httplib_server::bind(const endpoint& where) {
  if (auto is_free = check_free(where); !is_free) return tl::unexpected(is_free.error());
  const auto host = model::to_string(where.address);
  auto port = static_cast<int>(where.port);
  if (port == 0)
    port = bind_to_any_port(host);
  else if (!bind_to_port(host, port))
    port = -1;
  // cpp-httplib listens with a backlog of 5; calling listen(2) again replaces it.
  if (port <= 0 || ::listen(svr_sock_, backlog_) != 0)
    return base::fail(base::errc::address_unavailable, to_string(where) + ": cannot be bound");
  bound_ = {where.address, static_cast<std::uint16_t>(port)};
  return bound_;
}

void set_header_lines(httplib::Response& into, std::string_view lines) {
  while (!lines.empty()) {
    const auto end = lines.find("\r\n");
    const auto line = lines.substr(0, end);
    const auto colon = line.find(": ");
    into.set_header(std::string{line.substr(0, colon)}, std::string{line.substr(colon + 2)});
    lines.remove_prefix(end + 2);
  }
}

base::error refusal_of(int status) {
  switch (status) {
  case 404: return {base::errc::route_not_found, "No operation has this path."};
  case 413: return {base::errc::body_too_large, "The request body is larger than allowed."};
  case 414: return {base::errc::target_too_long, "The request target is longer than allowed."};
  case 416:
  case 400: return {base::errc::request_malformed, "The request could not be read as HTTP/1.1."};
  default: return {base::errc::internal, "The request could not be handled.", true};
  }
}

} // namespace matchcloud::http
