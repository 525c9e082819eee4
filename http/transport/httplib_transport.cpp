#include "http/transport/httplib_transport.hpp"

#include "http/transport/refusals.hpp"
#include "http/wire/field_line.hpp"
#include "http/wire/header_characters.hpp"
#include "http/wire/request_errors.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::http {

namespace {

/// Whether cpp-httplib refused the request only for its method: it does so with the 400 that it
/// also uses for lines that it cannot parse.
bool is_unknown_method(const httplib::Request& request, int status) {
  return status == 400 && parse_method(request.method) == method::other &&
         token_characters.contains_all(request.method) && request.version.starts_with("HTTP/1.");
}

/// The client's end of the connection.
endpoint peer_of(const httplib::Request& request) {
  return {model::parse_ip_address(request.remote_addr).value_or(model::ip_address{}),
          static_cast<std::uint16_t>(request.remote_port)};
}

/// How long `end_now` waits until the last answers are written.
constexpr std::chrono::milliseconds last_answers_patience{500};

/// Larger shared bodies are not copied but written in place, piece by piece.
constexpr std::size_t copied_body_bytes = 64 * 1024;
constexpr std::size_t body_piece_bytes = 64 * 1024;

httplib::ContentProvider provider_of(std::shared_ptr<const std::string> body) {
  return [body = std::move(body)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    return sink.write(body->data() + offset, std::min(length, body_piece_bytes));
  };
}

httplib::ContentProvider provider_of(file_range part) {
  return [part = std::move(part)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    std::array<char, body_piece_bytes> piece;
    const auto got =
        part.file->read({piece.data(), std::min(length, piece.size())}, part.offset + offset);
    return got > 0 && sink.write(piece.data(), static_cast<std::size_t>(got));
  };
}

void write_body(response& answer, httplib::Response& into) {
  const std::string type{answer.content_type};
  if (answer.body_size() > 0) {
    if (auto* part = std::get_if<file_range>(&answer.body))
      return into.set_content_provider(part->length, type, provider_of(std::move(*part)));
    auto* shared = std::get_if<std::shared_ptr<const std::string>>(&answer.body);
    if (shared != nullptr && (*shared)->size() > copied_body_bytes) {
      const auto size = (*shared)->size();
      return into.set_content_provider(size, type, provider_of(std::move(*shared)));
    }
  }
  std::string body;
  answer.append_body(body);
  into.set_content(body, type);
}

void write(response answer, std::string_view request_id, const std::string& date, bool closing,
           httplib::Response& into) {
  into.status = answer.status;
  into.set_header("Date", date);
  into.set_header("X-Request-Id", std::string{request_id});
  set_header_lines(into, answer.fixed_headers);
  set_header_lines(into, answer.headers);
  if (closing) into.set_header("Connection", "close");
  // cpp-httplib would send a length of 0, but RFC 9110 section 8.6 wants the true length or none.
  if (answer.status == 304) into.set_header("Content-Length", std::to_string(answer.body_size()));
  if (!has_body(answer.status) || answer.content_type.empty()) return;
  into.set_header("X-Content-Type-Options", "nosniff");
  write_body(answer, into);
}

} // namespace

httplib_transport::httplib_transport(const base::clock& clock, shared_bounds& bounds,
                                     transport_metrics& metrics, std::uint64_t seed,
                                     std::function<void()> on_empty)
    : clock_{&clock},
      bounds_{&bounds},
      metrics_{&metrics},
      on_empty_{std::move(on_empty)},
      ids_{seed} {}

httplib_transport::~httplib_transport() {
  begin_drain();
  end_now();
  // The servers' threads use all other members until they are joined. Connections whose answers are
  // still being written are cut: destruction does not wait for slow clients.
  for (const auto& server : servers_)
    server->cut();
  servers_.clear();
}

base::expected<endpoint> httplib_transport::bind(const endpoint& where) {
  auto server = std::make_unique<httplib_server>(bounds_->limits);
  // There are no routes, because cpp-httplib would match a regular expression per route against the
  // client's path. Every request therefore ends in the error handler, with its body read, and is
  // served from there.
  server->set_error_handler(httplib::Server::HandlerWithResponse{
      [this](const httplib::Request& request, httplib::Response& into) {
        // An answer of `serve` comes here as well if it is an error, and is kept.
        if (!into.has_header("X-Request-Id")) serve(request, into);
        return httplib::Server::HandlerResponse::Handled;
      }});
  // A request without a length has no body, but cpp-httplib would wait for the end of the stream.
  server->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& into) {
    const bool bodied =
        request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
    if (!bodied || request.has_header("Content-Length") || request.has_header("Transfer-Encoding"))
      return httplib::Server::HandlerResponse::Unhandled;
    into.status = 404; // "no handler", as in the error handler
    serve(request, into);
    return httplib::Server::HandlerResponse::Handled;
  });
  // Called when an answer has been written, or cannot be written.
  server->set_logger([this](const httplib::Request& request, const httplib::Response&) {
    end_answering(request, false);
  });
  auto bound = server->bind(where);
  if (bound) servers_.push_back(std::move(server));
  return bound;
}

void httplib_transport::start() {
  serving_ = servers_.size();
  for (const auto& server : servers_)
    server->start([this] {
      if (serving_.fetch_sub(1) == 1) on_empty_();
    });
}

void httplib_transport::begin_drain() {
  if (draining_.exchange(true)) return;
  for (const auto& server : servers_)
    server->stop_accepting();
}

void httplib_transport::close_idle() {
  for (const auto& server : servers_)
    server->end_input([this](const endpoint& peer) {
      const std::lock_guard lock{mutex_};
      return answering_.contains(peer);
    });
}

void httplib_transport::end_now() {
  close_idle();
  std::unique_lock lock{mutex_};
  ended_ = true;
  while (!waiting_.empty()) {
    auto& left = *waiting_.begin()->second;
    settle(left, refusal(shutting_down(), subject_of(*left.request)));
  }
  // The servers' threads write these answers, unless their connections end before.
  written_.wait_for(lock, last_answers_patience, [this] {
    return std::all_of(answering_.begin(), answering_.end(),
                       [](const auto& each) { return each.second; });
  });
}

void httplib_transport::begin_answering(const httplib::Request& request) {
  const std::lock_guard lock{mutex_};
  answering_[peer_of(request)] = false;
}

void httplib_transport::end_answering(const httplib::Request& request, bool as_file) {
  {
    const std::lock_guard lock{mutex_};
    const auto found = answering_.find(peer_of(request));
    if (found == answering_.end()) return;
    if (as_file)
      found->second = true;
    else
      answering_.erase(found);
  }
  written_.notify_all();
}

void httplib_transport::serve(const httplib::Request& request, httplib::Response& into) {
  // The answer already has the range that was requested: cpp-httplib would cut it again, and
  // wrongly. Casting const away is safe: the request is a non-const local variable of cpp-httplib.
  const_cast<httplib::Request&>(request).ranges.clear();
  begin_answering(request);

  const auto date = http_date(clock_->unix_ms() / 1'000);
  const auto read_request = read(request, into.status);
  // Without this header cpp-httplib does not compress the answer: it would compress what is
  // compressed already, and not say that the answer varies.
  const_cast<httplib::Request&>(request).headers.erase("Accept-Encoding");
  if (!read_request) {
    std::unique_lock lock{mutex_};
    const auto id = ids_.next();
    lock.unlock();
    auto answer = refusal(read_request.error(), {id});
    metrics_->count_answer(operation::unmatched, answer.status);
    return write(std::move(answer), id, date, draining_, into);
  }
  waiting_exchange waiting;
  waiting.request = *read_request;
  auto answer = await(waiting);
  if (std::holds_alternative<file_range>(answer.body)) end_answering(request, true);
  write(std::move(answer), waiting.request->id, date, draining_, into);
}

base::expected<std::shared_ptr<admitted_request>>
httplib_transport::read(const httplib::Request& request, int status) {
  // cpp-httplib refuses a `Range` that it cannot parse before it reads the body. Such a header is
  // ignored where there is no body that could be lost.
  const bool bodied =
      request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
  const bool misread_range =
      status == 416 && !bodied && (request.method == "GET" || request.method == "HEAD");
  const auto& limits = bounds_->limits;
  if (is_unknown_method(request, status))
    return tl::unexpected(method_not_implemented(request.method));
  if (status == 413) return tl::unexpected(body_too_large(limits.body_limit_bytes));
  if (status == 415) return tl::unexpected(content_coding_unsupported());
  if (status != 404 && !misread_range) return tl::unexpected(refusal_of(status));
  if (request.target.size() > limits.target_limit_bytes) return tl::unexpected(refusal_of(414));
  // Debian's cpp-httplib does not apply its limit to chunked bodies.
  if (request.body.size() > limits.body_limit_bytes)
    return tl::unexpected(body_too_large(limits.body_limit_bytes));
  if (!request.target.starts_with('/') && request.target != "*")
    return tl::unexpected(refusal_of(400));

  auto result = std::make_shared<admitted_request>();
  result->method = parse_method(request.method);
  result->method_token = request.method;
  result->target = request.target;
  if (!result->lease.grow_to(bounds_->budget, request.body.size()))
    return tl::unexpected(too_many_request_bytes());
  result->body = request.body;
  if (const auto peer = model::parse_ip_address(request.remote_addr)) result->peer = *peer;
  result->connection = static_cast<std::uint64_t>(request.remote_port);
  for (const auto& [name, value] : request.headers) {
    // cpp-httplib has decompressed such a body already, without a limit on the result.
    if (find_framing_field(name) == framing_field::content_encoding &&
        !list_has_only(value, "identity"))
      return tl::unexpected(content_coding_unsupported());
    const auto index = find_header(name);
    if (index == header_count) continue;
    const auto known = static_cast<header>(index);
    if (result->has(known))
      result->append(known, value);
    else
      result->set(known, value);
  }
  return result;
}

response httplib_transport::await(waiting_exchange& waiting) {
  const auto begun = clock_->now();
  std::unique_lock lock{mutex_};
  ids_.assign(*waiting.request);
  waiting.id = ++last_id_;
  waiting_.emplace(waiting.id, &waiting);
  metrics_->in_flight.store(waiting_.size(), std::memory_order_relaxed);
  if (ended_)
    settle(waiting, refusal(shutting_down(), subject_of(*waiting.request)));
  else
    dispatch(waiting);
  // Computed again after each wait: the operation, and so the deadline, is known once the exchange
  // is routed. `routed` wakes this thread where the deadline becomes earlier.
  const auto deadline = [&] {
    return begun + answer_timeout(bounds_->limits, waiting.state.operation_id);
  };
  while (!waiting.answered && clock_->now() < deadline())
    waiting.done.wait_for(lock, deadline() - clock_->now());
  if (!waiting.answered)
    settle(waiting,
           refusal(not_answered_in_time(waiting.state.operation_id), subject_of(*waiting.request)));
  metrics_->count_problem(waiting.answer.problem);
  metrics_->note_answer(*waiting.request, waiting.state.operation_id, waiting.answer.status, begun,
                        clock_->now());
  return std::move(waiting.answer);
}

void httplib_transport::settle(waiting_exchange& waiting, response&& with) {
  waiting_.erase(waiting.id);
  waiting.request->over.store(true, std::memory_order_relaxed);
  metrics_->in_flight.store(waiting_.size(), std::memory_order_relaxed);
  waiting.answer = std::move(with);
  waiting.answered = true;
  waiting.done.notify_one();
}

httplib_transport::waiting_exchange* httplib_transport::current(actors::exchange_ref ref) const {
  const auto found = waiting_.find(ref.exchange);
  if (found == waiting_.end() || found->second->state.attempt != ref.attempt) return nullptr;
  return found->second;
}

void httplib_transport::dispatch(waiting_exchange& waiting) {
  // While there is no front, exchanges wait until `attach` dispatches them to the next one.
  if (front_) caf::anon_send(front_, http::dispatch{waiting.ref(), waiting.request});
}

void httplib_transport::attach(caf::actor front) {
  const std::lock_guard lock{mutex_};
  front_ = std::move(front);
  redispatch_where(actors::handler::front, [](const waiting_exchange&) { return true; });
}

void httplib_transport::redispatch(base::owner owner) {
  const std::lock_guard lock{mutex_};
  redispatch_where(actors::handler::owner, [owner](const waiting_exchange& waiting) {
    return waiting.state.waits_for == owner;
  });
}

template <class Condition>
void httplib_transport::redispatch_where(actors::handler dead, Condition&& condition) {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    auto& waiting = *(next++)->second; // settling erases the entry
    if (!condition(waiting)) continue;
    if (const auto why =
            waiting.state.begin_retry(row_of(waiting.state.operation_id), *waiting.request, dead)) {
      settle(waiting, refusal(*why, subject_of(*waiting.request)));
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
  if (waiting == nullptr) return true;
  const auto before = answer_timeout(bounds_->limits, waiting->state.operation_id);
  if (!waiting->state.route(*waiting->request, which, waits_for, bounds_->limits, *metrics_))
    return false;
  // The thread of the exchange sleeps until the former deadline.
  if (answer_timeout(bounds_->limits, which) < before) waiting->done.notify_one();
  return true;
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
