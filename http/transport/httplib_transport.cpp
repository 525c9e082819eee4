#include "http/transport/httplib_transport.hpp"

#include "http/loop/byte_stream.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/listener.hpp"
#include "http/wire/header_characters.hpp"
#include "http/wire/message_lines.hpp"

#include <caf/send.hpp>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace matchcloud::http {

namespace {

/// cpp-httplib parses `Range` with std::regex, which takes about 500 bytes of stack per byte of the
/// line, and the line has up to 8 KiB.
void set_default_stack() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16UL * 1024 * 1024);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/// Whether the last answer of this thread said that its connection closes.
bool& said_close() {
  thread_local bool said = false;
  return said;
}

/// Copies a request; returns why it is refused, if it is. `status` is the one that cpp-httplib
/// refused it with, or 404 (no handler).
std::optional<base::error> read(const httplib::Request& request, int status, shared_bounds& bounds,
                                admitted_request& into) {
  const auto& limits = bounds.limits;
  into.method = parse_method(request.method);
  into.method_token = request.method;
  into.target = request.target;
  into.peer = model::parse_ip_address(request.remote_addr).value_or(model::ip_address{});
  into.connection = static_cast<std::uint64_t>(request.remote_port);
  bool is_coded = status == 415;
  for (const auto& [name, value] : request.headers) {
    // cpp-httplib has decompressed such a body already, without a limit on the result.
    is_coded |= find_framing_field(name) == framing_field::content_encoding &&
                !list_has_only(value, "identity");
    const auto index = find_header(name);
    if (index != header_count) into.append(static_cast<header>(index), value);
  }
  // cpp-httplib refuses a `Range` that it cannot parse before it reads the body. Such a header is
  // ignored where there is no body that could be lost.
  if (status == 416 && !request.has_header("Content-Length") &&
      !request.has_header("Transfer-Encoding"))
    status = 404;
  // It also refuses unknown methods like lines that it cannot parse.
  if (status == 400 && into.method == method::other &&
      token_characters.contains_all(request.method) && request.version.starts_with("HTTP/1."))
    return method_not_implemented(request.method);
  // Debian's cpp-httplib does not apply its limit to chunked bodies.
  if (status == 413 || request.body.size() > limits.body_limit_bytes)
    return body_too_large(limits.body_limit_bytes);
  if (is_coded) return content_coding_unsupported();
  if (status == 414 || into.target.size() > limits.target_limit_bytes)
    return base::error{base::errc::target_too_long, "The request target is longer than allowed."};
  if (status != 404 || !(into.target.starts_with('/') || into.target == "*"))
    return base::error{base::errc::request_malformed, "The request could not be read as HTTP/1.1."};
  if (!into.lease.grow_to(bounds.budget, request.body.size())) return too_many_request_bytes();
  into.body = request.body;
  return std::nullopt;
}

void write(response answer, const write_context& context, httplib::Response& into) {
  std::string head;
  write_head(head, answer, context);
  for (std::string_view left{head};;) {
    left.remove_prefix(left.find("\r\n") + 2); // the status line, then each header
    const auto line = left.substr(0, left.find("\r\n"));
    if (line.empty()) break;
    const auto colon = line.find(": ");
    const std::string name{line.substr(0, colon)};
    // cpp-httplib sets the length itself.
    if (name != "Content-Length") into.set_header(name, std::string{line.substr(colon + 2)});
  }
  into.status = answer.status;
  // cpp-httplib would send a length of 0, but RFC 9110 section 8.6 wants the true length or none.
  if (answer.status == 304) into.set_header("Content-Length", std::to_string(answer.body_size()));
  if (!has_body(answer.status)) return;
  answer.append_body(into.body);
  if (const auto* part = std::get_if<file_range>(&answer.body)) {
    into.headers.erase("Content-Type"); // set again with the file
    into.set_content_provider(
        part->length, std::string{answer.content_type},
        [part = *part](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          std::array<char, 65'536> piece;
          const auto got =
              part.file->read({piece.data(), std::min(length, piece.size())}, part.offset + offset);
          return got > 0 && sink.write(piece.data(), static_cast<std::size_t>(got));
        });
  }
}

} // namespace

/// A connection.
class httplib_transport::stream final : public httplib::Stream {
public:
  std::string peer;
  int port = 0;

  stream(const httplib_transport& of, base::file_descriptor socket)
      : of_{&of}, socket_{std::move(socket)} {
    const auto from = endpoint_of(this->socket(), getpeername).value_or(endpoint{});
    peer = model::to_string(from.address);
    port = from.port;
  }

  bool is_readable() const override {
    return await(POLLIN, of_->bounds_->limits.idle_timeout, of_->closing_);
  }
  bool is_writable() const override {
    return await(POLLOUT, of_->bounds_->limits.write_timeout, of_->cut_);
  }
  ssize_t read(char* into, std::size_t size) override {
    if (unread_.empty()) {
      const auto got = is_readable() ? ::recv(socket(), buffer_.data(), buffer_.size(), 0) : -1;
      if (got <= 0) return got;
      unread_ = {buffer_.data(), static_cast<std::size_t>(got)};
    }
    const auto taken = unread_.copy(into, size);
    unread_.remove_prefix(taken);
    return static_cast<ssize_t>(taken);
  }
  /// Writes everything, because cpp-httplib does not try again.
  ssize_t write(const char* from, std::size_t size) override {
    for (std::string_view left{from, size}; !left.empty();) {
      if (!is_writable()) return -1;
      const auto sent = ::send(socket(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) return -1;
      left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(0, sent)));
    }
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& its_port) const override {
    ip = peer;
    its_port = port;
  }
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_.get(); }

private:
  /// Whether the socket is ready for `events` in time, and before `end` is readable.
  bool await(short events, std::chrono::milliseconds timeout,
             const base::file_descriptor& end) const {
    std::array<pollfd, 2> polled{{{socket(), events, 0}, {end.get(), POLLIN, 0}}};
    return ::poll(polled.data(), 2, static_cast<int>(timeout.count())) > 0 &&
           polled[1].revents == 0;
  }

  const httplib_transport* of_;
  base::file_descriptor socket_;
  std::array<char, 4096> buffer_{};
  std::string_view unread_;
};

httplib_transport::httplib_transport(const base::clock& clock, shared_bounds& bounds,
                                     transport_metrics& metrics, std::uint64_t seed,
                                     std::function<void()> on_empty)
    : clock_{&clock},
      bounds_{&bounds},
      metrics_{&metrics},
      on_empty_{std::move(on_empty)},
      draining_{::eventfd(0, EFD_CLOEXEC)},
      closing_{::eventfd(0, EFD_CLOEXEC)},
      cut_{::eventfd(0, EFD_CLOEXEC)},
      ids_{seed} {
  // For the header that announces them.
  set_keep_alive_max_count(1'000'000'000);
  set_keep_alive_timeout(bounds.limits.idle_timeout.count() / 1'000);
  set_payload_max_length(bounds.limits.body_limit_bytes);
  // There are no routes, because cpp-httplib would match a regular expression per route against the
  // client's path. Every request therefore ends in the error handler, with its body read.
  set_error_handler(
      [this](const httplib::Request& request, httplib::Response& into) { answer(request, into); });
  // A request without a length has no body, but cpp-httplib would wait for the end of the stream.
  set_pre_routing_handler([](const httplib::Request& request, httplib::Response&) {
    if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding"))
      const_cast<httplib::Request&>(request).set_header("Content-Length", "0");
    return HandlerResponse::Unhandled;
  });
}

httplib_transport::~httplib_transport() {
  begin_drain();
  end_now();
  // Answers that are still being written are cut: this does not wait for slow clients.
  ::eventfd_write(cut_.get(), 1);
}

// -- connections --------------------------------------------------------------

void httplib_transport::serve(base::file_descriptor listener, std::size_t threads) {
  ::fcntl(listener.get(), F_SETFL, 0); // the threads wait in accept(2)
  svr_sock_ = listener.get();          // without one, cpp-httplib sends no files
  set_default_stack();
  const std::lock_guard lock{mutex_};
  running_ += threads;
  while (threads-- > 0)
    threads_.emplace_back([this, from = listener.get()] {
      while (!has_input(draining_.get()))
        if (base::file_descriptor socket{::accept4(from, nullptr, nullptr, SOCK_CLOEXEC)})
          converse(std::move(socket));
        else // no descriptor is left, or the listener has ended
          ::poll(nullptr, 0, 1);
      const std::lock_guard ending{mutex_};
      if (--running_ > 0) return;
      stopped_.notify_all();
      on_empty_();
    });
  listeners_.push_back(std::move(listener));
}

void httplib_transport::converse(base::file_descriptor socket) {
  stream with{*this, std::move(socket)};
  const std::function<void(httplib::Request&)> nothing;
  bool closed = false;
  const auto answer_next = [&](auto& self) {
    if constexpr (requires { self.process_request(with, false, closed, nothing); }) {
      return self.process_request(with, false, closed, nothing);
    } else {
      return self.process_request(with, with.peer, with.port, {}, 0, false, closed, nothing);
    }
  };
  said_close() = false;
  while (answer_next(*this) && !closed && !said_close()) {
  }
}

void httplib_transport::begin_drain() {
  ::eventfd_write(draining_.get(), 1);
  for (const auto& each : listeners_)
    ::shutdown(each.get(), SHUT_RDWR); // wakes the threads that wait for a connection
}

void httplib_transport::close_idle() {
  ::eventfd_write(closing_.get(), 1);
}

void httplib_transport::end_now() {
  close_idle();
  std::unique_lock lock{mutex_};
  ended_ = true;
  while (!waiting_.empty())
    refuse(*waiting_.begin()->second, shutting_down());
  stopped_.wait_for(lock, std::chrono::milliseconds{500}, [this] { return running_ == 0; });
}

// -- exchanges ----------------------------------------------------------------

void httplib_transport::answer(const httplib::Request& request, httplib::Response& into) {
  const auto begun = clock_->now();
  waiting_exchange waiting;
  const auto refused = read(request, into.status, *bounds_, *waiting.request);
  // The answer has the range that was requested and is compressed if it should be: cpp-httplib
  // would cut it again, and wrongly, and compress it without saying that it varies. Casting const
  // away is safe: the request is a non-const local variable of cpp-httplib.
  auto& own = const_cast<httplib::Request&>(request);
  own.ranges.clear();
  own.headers.erase("Accept-Encoding");

  const auto& state = waiting.state;
  std::unique_lock lock{mutex_};
  ids_.assign(*waiting.request);
  waiting.id = ++last_id_;
  waiting_.emplace(waiting.id, &waiting);
  ++metrics_->in_flight;
  if (refused || ended_)
    refuse(waiting, refused.value_or(shutting_down()));
  else
    dispatch(waiting);
  while (!waiting.answer) {
    // The operation, and so the deadline, is known once the exchange is routed.
    const auto left = begun + answer_timeout(bounds_->limits, state.operation_id) - clock_->now();
    if (left <= left.zero())
      refuse(waiting, not_answered_in_time(state.operation_id));
    else
      waiting.done.wait_for(lock, std::min<decltype(left)>(left, bounds_->limits.export_timeout));
  }
  metrics_->count_problem(waiting.answer->problem);
  metrics_->note_answer(*waiting.request, state.operation_id, waiting.answer->status, begun,
                        clock_->now());
  lock.unlock();
  said_close() = has_input(draining_.get());
  write(*std::move(waiting.answer),
        {waiting.request->id, http_date(clock_->unix_ms() / 1'000), !said_close()}, into);
}

void httplib_transport::settle(waiting_exchange& waiting, response&& with) {
  waiting_.erase(waiting.id);
  waiting.request->over = true;
  --metrics_->in_flight;
  waiting.answer = std::move(with);
  waiting.done.notify_one();
}

void httplib_transport::refuse(waiting_exchange& waiting, const base::error& why) {
  settle(waiting, refusal(why, subject_of(*waiting.request)));
}

httplib_transport::waiting_exchange* httplib_transport::current(actors::exchange_ref ref) const {
  const auto found = waiting_.find(ref.exchange);
  if (found == waiting_.end() || found->second->state.attempt != ref.attempt) return nullptr;
  return found->second;
}

void httplib_transport::dispatch(waiting_exchange& waiting) {
  // While there is no front, exchanges wait until `attach` dispatches them to the next one.
  if (front_)
    caf::anon_send(front_, http::dispatch{{waiting.id, waiting.state.attempt}, waiting.request});
}

void httplib_transport::attach(caf::actor front) {
  const std::lock_guard lock{mutex_};
  front_ = std::move(front);
  redispatch(base::owner::none, actors::handler::front);
}

void httplib_transport::redispatch(base::owner owner) {
  const std::lock_guard lock{mutex_};
  redispatch(owner, actors::handler::owner);
}

void httplib_transport::redispatch(base::owner owner, actors::handler dead) {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    auto& waiting = *(next++)->second; // refusing erases the entry
    auto& state = waiting.state;
    if (owner != base::owner::none && state.waits_for != owner) continue;
    if (const auto why = state.begin_retry(row_of(state.operation_id), *waiting.request, dead)) {
      refuse(waiting, *why);
      continue;
    }
    metrics_->redispatched.add();
    dispatch(waiting);
  }
}

bool httplib_transport::routed(actors::exchange_ref exchange, operation which,
                               base::owner waits_for) {
  const std::lock_guard lock{mutex_};
  auto* waiting = current(exchange);
  return waiting == nullptr ||
         waiting->state.route(*waiting->request, which, waits_for, bounds_->limits, *metrics_);
}

open_exchange httplib_transport::find(actors::exchange_ref exchange) const {
  const std::lock_guard lock{mutex_};
  const auto* waiting = current(exchange);
  if (waiting == nullptr) return {};
  return {waiting->request, waiting->state.operation_id};
}

void httplib_transport::answer(actors::exchange_ref exchange, response&& with) {
  const std::lock_guard lock{mutex_};
  if (auto* waiting = current(exchange)) settle(*waiting, std::move(with));
}

} // namespace matchcloud::http
