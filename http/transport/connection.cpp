#include "http/transport/connection.hpp"

#include "base/faults.hpp"
#include "http/transport/exchange.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

namespace matchcloud::http {

namespace {

using base::fault_point;

base::error head_too_late(bool in_proxy_header) {
  return {base::errc::head_timeout, in_proxy_header
                                        ? "The PROXY protocol header took too long to arrive."
                                        : "The request head took too long to arrive."};
}

base::error body_too_late() {
  return {base::errc::body_timeout, "The request body took too long to arrive."};
}

base::error ended_early(bool in_proxy_header) {
  return {base::errc::request_malformed,
          std::string{"The connection's sending side was closed before the "} +
              (in_proxy_header ? "PROXY protocol header" : "request") + " was complete."};
}

base::error tls_expected() {
  return {base::errc::request_malformed,
          "This port speaks TLS, but the request came without. Use https:// instead of http://."};
}

base::error tls_not_expected() {
  return {base::errc::request_malformed,
          "This port does not speak TLS. Use http:// instead of https://, or another port."};
}

/// How a record of a TLS handshake begins: its kind, then the major version.
constexpr std::string_view tls_hello{"\x16\x03", 2};

base::error framing_broken() {
  return {base::errc::request_malformed,
          "The request was not framed: " + base::faults::reason_at(fault_point::frame) + "."};
}

/// Flips one bit. Casting const away is safe: `bytes` lie in the loop's read buffer or in the
/// connection's own input, and both are writable.
void corrupt(std::string_view bytes, std::uint64_t random) {
  base::faults::flip_bit({const_cast<char*>(bytes.data()), bytes.size()}, random);
}

/// Removes the forwarding headers, because nothing is known of the client that sent them.
void drop_forwarding(request& from) {
  for (const auto which : {header::x_forwarded_for, header::forwarded})
    if (from.has(which)) from.set(which, {});
}

} // namespace

connection::connection(connection_host& host, std::unique_ptr<byte_stream> stream,
                       const model::ip_address& peer, std::uint32_t slot, std::uint32_t generation,
                       preamble begins_with, std::shared_ptr<tls_context> tls)
    : host_{&host},
      stream_{std::move(stream)},
      tls_context_{std::move(tls)},
      peer_{peer},
      reader_{host, *this, begins_with != preamble::none},
      // The head timeout runs from the start: a client connects to send a request, and a proxy
      // sends its header at once.
      phase_deadline_{host.now() + host.limits.head_timeout},
      number_{host.bounds.opened.fetch_add(1, std::memory_order_relaxed)},
      slot_{slot},
      generation_{generation},
      peer_lane_{host.lane_of(peer)},
      begins_with_{begins_with} {}

connection::~connection() = default;

void connection::start() {
  if (tls_context_ && begins_with_ == preamble::none) {
    begin_tls({});
    arm();
    return watch();
  }
  arm();
  // The first request has often arrived by now. If it closes the connection, it is usually answered
  // in this turn, and watching the socket would cost as much as all the rest.
  reader_.set_readable();
  process();
  if (phase_ == phase::waiting) return schedule(step::write);
  if (!scheduled(step::write)) watch();
}

void connection::watch() {
  if (phase_ == phase::closed || std::exchange(is_watched_, true)) return;
  constexpr std::uint32_t interest = EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  if (host_->loop.watch(stream_->descriptor(), interest, *this) != 0) end_now();
}

void connection::on_events(std::uint32_t events) {
  if (phase_ == phase::closed) return;
  if ((events & (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
    reader_.set_readable();
  if ((events & (EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) reader_.expect_short_reads();
  if (phase_ == phase::handshaking) return schedule(step::handshake);
  // Both directions are closed, so nobody can receive an answer.
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    client_gone_ = true;
    if (!is_reading() && phase_ != phase::finishing) return close();
  }
  // An answer in parts may take hours: a client that ends its side has left.
  if ((events & EPOLLRDHUP) != 0 && phase_ == phase::streaming) return close();
  // Unsent bytes are written at the end of the turn, where the transport bounds what all
  // connections write.
  if ((events & EPOLLOUT) != 0 && sender_.has_unsent()) schedule(step::write);
  if (reads() || phase_ == phase::lingering) schedule_read();
}

void connection::schedule(step what) {
  if (!std::exchange(scheduled(what), true)) host_->schedule(*this, what);
}

void connection::schedule_read() {
  if (!scheduled(step::read)) readable_since_ = host_->now();
  schedule(step::read);
}

void connection::take_turn(step what) {
  if (!std::exchange(scheduled(what), false) || phase_ == phase::closed) return;
  if (what == step::handshake) return shake_hands();
  const bool writes = what == step::write;
  if (writes && (sender_.has_unsent() || phase_ == phase::finishing)) flush();
  if (reads()) process();
  if (phase_ == phase::lingering) discard();
  if (writes) return watch();
  readable_since_ = {};
}

byte_stream& connection::stream(fault_point at) {
  // The wrapper stays for the rest of the connection: it costs little while no fault is injected.
  // It is below TLS, like the network that it stands for.
  if (base::faults::armed(at) && host_->bounds.serves == plane::data && faulty_ == nullptr)
      [[unlikely]] {
    auto& socket = tls_ != nullptr ? tls_->under() : stream_;
    auto faulty = std::make_unique<faulty_stream>(std::move(socket), host_->loop, *this,
                                                  peer_.bytes, number_);
    faulty_ = faulty.get();
    socket = std::move(faulty);
  }
  return *stream_;
}

// -- TLS ----------------------------------------------------------------------

void connection::begin_tls(std::string_view received) {
  auto tls = std::make_unique<tls_stream>(std::move(stream_), std::move(tls_context_), received);
  tls_ = tls.get();
  stream_ = std::move(tls);
  phase_ = phase::handshaking;
  phase_deadline_ = host_->now() + host_->limits.tls_handshake_timeout;
  host_->begin_handshake();
  if (received.empty()) return;
  reader_.set_readable();
  schedule(step::handshake);
}

void connection::shake_hands() {
  if (phase_ != phase::handshaking) return;
  const bool is_first = reader_.has_more() && !std::exchange(handshake_charged_, true);
  if (is_first && !host_->rules->admit_handshake(peer_)) {
    end_tls_handshake(handshake_end::refused);
    return cut();
  }
  static_cast<void>(stream(fault_point::read));
  static_cast<void>(stream(fault_point::write));
  switch (tls_->handshake(reader_.expects_short_reads())) {
  case handshake_status::blocked: return;
  case handshake_status::more: return schedule(step::handshake);
  case handshake_status::plain_http:
    end_tls_handshake(handshake_end::failed);
    stream_ = tls_->take_under();
    tls_ = nullptr;
    return refuse(tls_expected(), true);
  case handshake_status::failed: return fail_handshake();
  case handshake_status::done: break;
  }
  end_tls_handshake(tls_->is_resumed() ? handshake_end::resumed : handshake_end::full);
  phase_deadline_ = host_->now() + idle_time();
  arm();
  // The first request may have arrived with the end of the handshake.
  reader_.set_readable();
  process();
}

void connection::end_tls_handshake(handshake_end how) {
  host_->end_handshake(how);
  phase_ = phase::idle;
}

void connection::fail_handshake() {
  host_->note_tls_failure(*this, tls_failure_cause::handshake_failed, tls_->failure());
  end_tls_handshake(handshake_end::failed);
  phase_ = phase::finishing;
  linger(); // so that the client gets the alert that says why
}

void connection::await_record() {
  if (!tls_->is_within_record()) return forget_record();
  if (phase_ != phase::idle) return;
  exchange_.need_request();
  if (!host_->lease(exchange_.request->lease, host_->limits.head_limit_bytes, *this))
    return close();
  phase_ = phase::record;
  idle_deadline_ = phase_deadline_;
  exchange_.begun = host_->now();
  phase_deadline_ = exchange_.begun + host_->limits.head_timeout;
  arm();
}

void connection::forget_record() {
  if (phase_ != phase::record) return;
  exchange_.drop_request();
  exchange_.begun = {};
  phase_ = phase::idle;
  phase_deadline_ = idle_deadline_;
  arm();
}

// -- reading ------------------------------------------------------------------

bool connection::reads() const noexcept {
  return is_reading() ||
         (phase_ == phase::waiting && exchange_.upload && exchange_.upload->room() > 0);
}

void connection::process() {
  if (!reads() || !sender_.has_room() || is_paused()) return;
  const auto next = reader_.next(stream(fault_point::read),
                                 exchange_.upload ? exchange_.upload->room() : SIZE_MAX);
  if (!next) return close();
  auto bytes = *next;
  if (reader_.in_proxy_header() && !bytes.empty()) bytes = take_proxy_header(bytes);
  if (!bytes.empty())
    frame(bytes);
  else if (tls_ != nullptr && is_reading() && reader_.is_idle())
    await_record();
  if (!reads()) return;
  // One read per turn, to be fair: the remaining input waits until other connections had their
  // turn.
  if (reader_.has_more())
    schedule(step::write);
  else if (reader_.has_ended())
    on_end_of_input();
}

std::string_view connection::take_proxy_header(std::string_view bytes) {
  switch (reader_.read_proxy_header(bytes)) {
  case proxy_header_status::need_more: return {};
  case proxy_header_status::failed: refuse(reader_.proxy_header().failure(), true); return {};
  case proxy_header_status::complete: end_proxy_header(); break;
  }
  if (!is_reading()) return {};
  if (!tls_context_) return bytes;
  begin_tls(bytes);
  arm();
  return {};
}

void connection::end_proxy_header() {
  const bool is_believed = begins_with_ == preamble::trusted_proxy_header;
  if (is_believed) {
    const auto& header = reader_.proxy_header();
    if (header.client() == proxied_client::named) {
      peer_ = header.address();
      peer_lane_ = host_->lane_of(peer_);
    }
    client_unknown_ = header.client() == proxied_client::unknown;
  }
  reader_.end_proxy_header();
  phase_deadline_ = host_->now() + idle_time();
  arm();
  if (!is_believed || host_->on_client_named(*this)) return;
  // A client that expects TLS would take a plain answer for an attack, so it gets none.
  if (tls_context_) return close();
  refuse(too_many_connections(), true);
}

void connection::frame(std::string_view bytes) {
  if (base::faults::armed(fault_point::frame) && host_->bounds.serves == plane::data) [[unlikely]] {
    const auto hit =
        base::faults::strike(fault_point::frame, fault_subject_of(peer_.bytes, number_));
    if (hit) {
      exchange_.need_request();
      exchange_.request->met_faults.fetch_or(bit_of(fault_point::frame), std::memory_order_relaxed);
    }
    if (hit.kind == base::fault_kind::error) return refuse(framing_broken(), true);
    if (hit.kind == base::fault_kind::corrupt) corrupt(bytes, hit.random);
  }
  // Checked before framing, which may free the kept bytes.
  const bool speaks_tls = tls_ == nullptr && !served_ && bytes.starts_with(tls_hello);
  exchange_.need_request();
  switch (reader_.frame(bytes, exchange_.upload ? exchange_.upload->into() : *exchange_.request)) {
  case framer_status::need_more:
    return exchange_.upload ? take_upload(bytes.size()) : take_partial();
  case framer_status::body_next: return on_head();
  case framer_status::complete:
    if (!exchange_.upload) return begin_exchange();
    exchange_.upload->set_whole();
    return take_upload(bytes.size());
  case framer_status::failed: break;
  }
  if (!speaks_tls) return refuse(framing_failure(), true);
  host_->note_tls_failure(*this, tls_failure_cause::plain_listener,
                          "it speaks TLS to a listener without TLS; send it to one with /tls");
  refuse(tls_not_expected(), true);
}

base::error connection::framing_failure() const {
  const auto& why = reader_.framer().failure();
  if (!exchange_.upload || why.code != base::errc::body_too_large) return why;
  const auto& row = row_of(exchange_.operation_id);
  return {why.code, "The body has more than " + std::to_string(row.body_limit_bytes) +
                        " bytes, the limit. " + std::string{row.body_advice}};
}

void connection::on_head() {
  identify_client();
  auto& request = *exchange_.request;
  auto verdict = host_->rules->judge(request, request.caller, reader_.framer().announced_length());
  if (!verdict) {
    auto& refused = verdict.error();
    host_->assign_id(request);
    auto answer = problem(refused.why, subject_of(request), refused.violated_policy);
    answer.headers = std::move(refused.headers);
    return refuse(std::move(answer), refused.which, true);
  }
  const auto& row = **verdict;
  if (reader_.was_cut()) return refuse(too_many_request_bytes(), true);
  request.body_follows = row.body == body_kind::json_lines && request.method == row.method;
  const auto limit = request.body_follows ? row.body_limit_bytes : host_->limits.body_limit_bytes;
  if (reader_.framer().accept_body(limit) == framer_status::failed)
    return refuse(framing_failure(), true);
  if (!request.body_follows) return take_partial();
  exchange_.upload = std::make_unique<body_upload>();
  begin_exchange();
}

// -- streamed bodies ----------------------------------------------------------

void connection::grant(std::size_t bytes) {
  if (exchange_.is_received()) return;
  const bool paused = exchange_.upload->room() == 0;
  exchange_.upload->grant(bytes);
  send_continue();
  if (paused) move_upload_deadline();
  process();
}

void connection::move_upload_deadline() {
  const auto now = host_->now();
  phase_deadline_ =
      now + (exchange_.upload->room() > 0 ? host_->limits.body_timeout
                                          : answer_timeout(host_->limits, exchange_.operation_id));
  arm();
}

void connection::take_upload(std::size_t bytes) {
  auto& upload = *exchange_.upload;
  auto& into = upload.into();
  if (!host_->lease(into.lease, into.body_capacity(), *this))
    return refuse(too_many_request_bytes(), true);
  if (auto part = upload.take()) host_->send_part(*this, *std::move(part), upload.is_whole());
  if (upload.is_whole()) exchange_.begun = host_->now();
  if (upload.room() == 0) return move_upload_deadline();
  // Each byte earns time at the least rate, but never more than the longest pause.
  const std::chrono::milliseconds earned{bytes * 1'000 / host_->limits.body_least_rate};
  phase_deadline_ = std::min(phase_deadline_ + earned, host_->now() + host_->limits.body_timeout);
}

void connection::take_partial() {
  if (reader_.framer().idle()) {
    exchange_.drop_request();
    return forget_record();
  }
  // An unfinished head is leased at its full limit, because it may grow to that before the lease is
  // adjusted again.
  if (!host_->lease(exchange_.request->lease,
                    host_->limits.head_limit_bytes + exchange_.request->body_capacity(), *this))
    return refuse(too_many_request_bytes(), true);
  const auto now = host_->now();
  if (exchange_.begun == base::steady_time{}) exchange_.begun = now;
  if (reader_.framer().in_body()) {
    if (std::exchange(phase_, phase::body) != phase::body)
      phase_deadline_ = now + host_->limits.body_timeout;
    send_continue();
  } else if (std::exchange(phase_, phase::head) == phase::idle) {
    phase_deadline_ = now + host_->limits.head_timeout;
  }
  arm();
}

void connection::send_continue() {
  if (!reader_.framer().take_continue()) return;
  sender_.add("HTTP/1.1 100 Continue\r\n\r\n");
  schedule(step::write);
}

void connection::on_end_of_input() {
  const bool truncated = tls_ != nullptr && tls_->is_truncated();
  if (truncated) host_->metrics.tls_truncated.add();
  // An end that an attacker may have caused is not answered: half a request proves nothing.
  if (!idle() && !truncated) return refuse(ended_early(reader_.in_proxy_header()), true);
  phase_ = phase::finishing;
  return sender_.has_unsent() ? schedule(step::write) : linger();
}

void connection::identify_client() {
  auto& request = *exchange_.request;
  request.peer = peer_;
  request.connection = number_;
  request.through_proxy = request.through_proxy || begins_with_ != preamble::none;
  if (client_unknown_) drop_forwarding(request);
  if (tls_ == nullptr) return;
  request.is_secure = true;
  // Authorities may be replaced while connections are open.
  if (tls_->client_subject() && host_->trusts_clients_of(tls_->context()))
    request.certificate_subject = tls_->client_subject();
}

void connection::begin_exchange() {
  const auto now = host_->now();
  identify_client();
  host_->assign_id(*exchange_.request);
  phase_ = phase::waiting;
  served_ = true;
  ++generation_;
  exchange_.begin();
  exchange_.begun = readable_since_ != base::steady_time{} ? readable_since_ : now;
  phase_deadline_ = now + host_->limits.request_timeout;
  if (client_gone_) [[unlikely]]
    return close();
  if (!host_->lease(exchange_.request->lease, exchange_.request->body_capacity(), *this))
    return refuse(too_many_request_bytes(), false);
  if (!exchange_.admit(peer_, peer_lane_)) return refuse(too_many_in_flight(), false);
  host_->dispatch(*this);
  arm();
}

// -- answering ----------------------------------------------------------------

actors::exchange_ref connection::current() const noexcept {
  return {(std::uint64_t{slot_} << 32U) | generation_, exchange_.attempt};
}

bool connection::is_current(actors::exchange_ref ref) const noexcept {
  return (phase_ == phase::waiting || phase_ == phase::streaming) && ref == current();
}

bool connection::routed(operation which, base::owner waits_for) {
  if (!exchange_.routed(which, waits_for)) return false;
  const auto deadline = exchange_.begun + answer_timeout(host_->limits, which);
  if (std::exchange(phase_deadline_, deadline) != deadline) arm();
  return true;
}

bool connection::retry(actors::handler dead) {
  exchange_.end_service();
  if (exchange_.upload && exchange_.upload->has_begun()) {
    refuse(body_interrupted(), false);
    return false;
  }
  if (const auto why =
          exchange_.begin_retry(row_of(exchange_.operation_id), *exchange_.request, dead)) {
    refuse(*why, false);
    return false;
  }
  host_->dispatch(*this);
  return true;
}

void connection::answer(response&& with) {
  if (phase_ == phase::streaming) return;
  if (std::holds_alternative<body_in_parts>(with.body) && sends_body(with))
    return begin_answer_in_parts(std::move(with));
  if (sends_body(with) && !sender_.hold(with)) return refuse(too_many_response_bytes(), false);
  queue(std::move(with), exchange_.request->keep_alive);
  // Requests pipelined after this one are framed at once, so that their answers share a write.
  if (reader_.has_input()) process();
}

write_context connection::context_of(bool stays_open) const {
  const auto& request = *exchange_.request;
  return {request.id, host_->date(), stays_open, request.http_1_0,
          host_->bounds.serves == plane::ops};
}

void connection::begin_answer_in_parts(response&& answer) {
  stays_open_ = exchange_.request->keep_alive && !exchange_.request->http_1_0 && may_stay_open();
  sender_.add(answer, context_of(stays_open_), false);
  exchange_.end_service();
  count(answer.status, 0);
  phase_ = phase::streaming;
  schedule(step::write);
}

void connection::send_part(std::string_view bytes, bool is_last) {
  if (phase_ != phase::streaming) return;
  if (!sender_.add_part(bytes, is_last, exchange_.request->http_1_0)) return cut();
  if (is_last) {
    static_cast<void>(sender_.take_sent_of_parts()); // nobody waits for it any more
    exchange_.release();
    // Also while draining: the head promised that the client may send its next request here.
    phase_ = stays_open_ ? phase::idle : phase::finishing;
    phase_deadline_ = host_->now() + host_->limits.idle_timeout;
  }
  schedule(step::write);
}

void connection::refuse(const base::error& why, bool close) {
  if (phase_ != phase::waiting) {
    exchange_.need_request();
    host_->assign_id(*exchange_.request);
    exchange_.operation_id = operation::unmatched;
  }
  refuse(refusal(why, subject_of(*exchange_.request), host_->bounds.serves), exchange_.operation_id,
         close);
}

void connection::refuse(response&& with, operation which, bool close) {
  exchange_.operation_id = which;
  // The time that a client spent on an incomplete request does not count as latency.
  if (phase_ != phase::waiting) exchange_.begun = host_->now();
  queue(std::move(with), !close && exchange_.request->keep_alive);
}

bool connection::may_stay_open() const noexcept {
  return !reader_.was_cut() && !host_->draining && exchange_.is_received() &&
         refusals_ < refusals_limit;
}

void connection::note_refusal(int status) {
  if (status != 429 || !exchange_.request->caller.is_over_limit) {
    refusals_ = 0;
    return;
  }
  if (++refusals_ < unpaused_refusals) return;
  if (refusals_ == unpaused_refusals) host_->metrics.connections_slowed.add();
  paused_until_ = host_->now() + refusal_pause;
}

bool connection::is_paused() const noexcept {
  return paused_until_ != base::steady_time{} && !host_->draining;
}

void connection::queue(response&& answer, bool keep_alive) {
  note_refusal(answer.status);
  host_->metrics.count_problem(answer.problem);
  if (answer.problem && answer.status < 500)
    host_->metrics.refused.note(exchange_.client(peer_), host_->now());
  keep_alive = keep_alive && may_stay_open();
  client_ends_ =
      phase_ == phase::waiting && !exchange_.request->keep_alive && exchange_.is_received();
  const bool has_body = sends_body(answer);
  const auto bytes = host_->access != nullptr && has_body ? answer.body_size() : 0;
  sender_.add(answer, context_of(keep_alive), has_body);
  count(answer.status, bytes);
  exchange_.release();
  phase_ = keep_alive ? phase::idle : phase::finishing;
  phase_deadline_ = host_->now() + host_->limits.idle_timeout;
  schedule(step::write);
}

bool connection::sends_body(const response& answer) const noexcept {
  return exchange_.request->method != method::head && has_body(answer.status);
}

void connection::count(int status, std::uint64_t bytes) {
  exchange_.count(peer_, status, bytes,
                  faulty_ != nullptr ? faulty_->take_met() : base::fault_point_set{0});
}

// -- writing ------------------------------------------------------------------

void connection::flush() {
  switch (sender_.flush(stream(fault_point::write))) {
  case sending::done: return after_flush();
  case sending::more: schedule(step::write); return arm();
  case sending::blocked: sender_.start_progress_deadline(*stream_); return arm();
  case sending::reading_file: return arm();
  case sending::failed: return close();
  }
}

void connection::file_ready() {
  // The end of the turn sends the file's bytes, and then frames requests that were pipelined after
  // its own.
  if (phase_ != phase::closed && sender_.file_ready()) schedule(step::write);
}

void connection::after_flush() {
  sender_.release();
  exchange_.note_sent();
  if (phase_ == phase::streaming) {
    if (const auto taken = sender_.take_sent_of_parts()) host_->tell_taken(*this, taken);
    return arm();
  }
  // If the client sent nothing after its last request, closing cannot reset the answer.
  if (phase_ == phase::finishing && client_ends_ && tls_ == nullptr && !reader_.has_more())
    return close();
  if (phase_ == phase::finishing) return linger();
  // The idle time begins now, however long sending the answer took, unless the next request has
  // begun.
  if (phase_ == phase::idle) phase_deadline_ = host_->now() + idle_time();
  arm();
}

// -- closing ------------------------------------------------------------------

void connection::linger() {
  if (reader_.has_ended()) {
    // A close_notify is answered with one.
    if (tls_ != nullptr && !tls_->is_truncated()) stream_->shutdown_write();
    return close();
  }
  stream_->shutdown_write();
  phase_ = phase::lingering;
  phase_deadline_ = host_->now() + linger_timeout;
  discards_bytes_ = reader_.framer().has_unread_body() ? body_linger_bytes : linger_bytes;
  reader_.drop_input();
  arm();
  discard();
}

void connection::discard() {
  const auto got = stream(fault_point::read).read(host_->read_buffer);
  switch (got.status) {
  case io_status::blocked: return;
  case io_status::moved:
    if (got.bytes > discards_bytes_) return close();
    discards_bytes_ -= got.bytes;
    return schedule(step::write);
  case io_status::ended:
  case io_status::failed: return close();
  }
}

void connection::close() {
  if (phase_ == phase::closed) return;
  if (phase_ == phase::handshaking) host_->end_handshake(handshake_end::failed);
  if (phase_ == phase::waiting) count(actors::client_gone_status, 0);
  phase_ = phase::closed;
  host_->loop.timers().cancel(*this);
  if (exchange_.request) exchange_.release();
  sender_.drop();
  reader_.drop_input();
  faulty_ = nullptr;
  // Closing the descriptor is not enough: a process that is being started has a copy of it until
  // its exec, and so long the kernel reports events to this connection, which is destroyed by then.
  if (is_watched_) host_->loop.unwatch(stream_->descriptor());
  stream_.reset();
  tls_ = nullptr;
  host_->closed(*this);
}

std::optional<base::steady_time> connection::since(eviction why) const noexcept {
  if (why == eviction::stalled || why == eviction::blocked)
    return sender_.stalled_since(why == eviction::stalled);
  if (phase_ == phase::handshaking) return phase_deadline_ - host_->limits.tls_handshake_timeout;
  if (why == eviction::idle && idle() && !sender_.has_unsent())
    return phase_deadline_ - idle_time();
  if (why != eviction::unfinished) return std::nullopt;
  if (phase_ == phase::lingering) return phase_deadline_ - linger_timeout;
  return is_reading() && phase_ != phase::idle ? std::optional{exchange_.begun} : std::nullopt;
}

bool connection::evict(eviction why) {
  if (why == eviction::stalled || why == eviction::blocked) {
    // epoll reports late that the socket has room; the kernel's send queue shows progress at once.
    if (sender_.measure_progress(*stream_) == 0) {
      cut();
      return true;
    }
    sender_.note_progress();
    return false;
  }
  if (phase_ == phase::handshaking) {
    end_tls_handshake(handshake_end::evicted);
    close();
    return true;
  }
  // A request may have arrived already: it is served, and the connection stays.
  const bool lingers = phase_ == phase::lingering;
  if (!lingers && !is_paused() && (reader_.has_more() || has_input(stream_->descriptor())))
    return false;
  end_with(had_to_make_room());
  return true;
}

void connection::cut() {
  stream_->reset_at_end();
  close();
}

bool connection::idle() const noexcept {
  return is_reading() && reader_.is_idle() && (tls_ == nullptr || !tls_->is_within_record());
}

std::chrono::milliseconds connection::idle_time() const noexcept {
  return served_ ? host_->limits.idle_timeout : host_->limits.head_timeout;
}

void connection::close_if_idle() {
  // An answer in parts has no end of its own: without its last chunk, the client retries.
  if (phase_ == phase::streaming) return close();
  if (!idle()) return;
  // A request may have arrived already: it is answered before the connection closes.
  reader_.set_readable();
  process();
  if (!idle()) return;
  phase_ = phase::finishing;
  flush();
}

void connection::end_now() {
  end_with(shutting_down());
}

void connection::end_with(const base::error& why) {
  if (phase_ == phase::closed) return; // closed earlier in this turn, such as by an eviction
  if (phase_ == phase::streaming || phase_ == phase::handshaking) return close();
  const bool begun = is_reading() && !idle();
  if (phase_ == phase::waiting || (begun && !sender_.has_separate_body())) refuse(why, true);
  if (sender_.has_unsent() || phase_ == phase::finishing) flush();
  // Closing with unread input sends a reset, which may destroy the answer.
  if (phase_ == phase::lingering) discard();
  close();
}

// -- deadlines ----------------------------------------------------------------

void connection::arm() {
  if (phase_ == phase::closed) return;
  auto deadline = phase_deadline_;
  if (paused_until_ != base::steady_time{}) deadline = std::min(deadline, paused_until_);
  // While the client has to receive an answer, the sender's deadline replaces the phase's, except
  // that a waiting exchange keeps its own deadline as well.
  if (sender_.is_awaited())
    deadline =
        phase_ == phase::waiting ? std::min(deadline, sender_.deadline()) : sender_.deadline();
  host_->loop.timers().arm(*this, deadline);
}

void connection::on_deadline() {
  const auto now = host_->now();
  if (paused_until_ != base::steady_time{} && now >= paused_until_) {
    paused_until_ = {};
    schedule_read();
  }
  if (phase_ == phase::lingering && now >= phase_deadline_) return close();
  if (phase_ == phase::handshaking) {
    if (now < phase_deadline_) return arm();
    end_tls_handshake(handshake_end::timed_out);
    return close();
  }
  if (sender_.is_awaited()) {
    if (now >= sender_.deadline()) sender_.measure_progress(*stream_);
    if (now >= sender_.deadline()) {
      host_->metrics.connections_cut.add();
      return cut();
    }
    if (phase_ != phase::waiting) return arm();
  }
  if (phase_ == phase::streaming) { // nothing to send at the moment
    phase_deadline_ = now + idle_time();
    return arm();
  }
  if (now < phase_deadline_) return arm();
  // The file's next bytes were not read in time. The client would mistake anything sent now for a
  // part of the file.
  if (sender_.is_reading_file()) return cut();
  if (sender_.has_separate_body()) { // being sent, and the client receives it
    phase_deadline_ = now + idle_time();
    return arm();
  }
  if (phase_ == phase::waiting && reads()) return refuse(body_too_late(), true);
  if (phase_ == phase::waiting) return refuse(not_answered_in_time(exchange_.operation_id), false);
  if (idle()) phase_ = phase::finishing;
  if (phase_ == phase::finishing) return flush();
  if (reader_.framer().in_body()) return refuse(body_too_late(), true);
  refuse(head_too_late(reader_.in_proxy_header()), true);
}

} // namespace matchcloud::http
