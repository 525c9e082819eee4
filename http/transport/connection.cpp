#include "http/transport/connection.hpp"

#include "base/faults.hpp"
#include "http/loop/faulty_stream.hpp"
#include "http/transport/refusals.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::http {

namespace {

using base::fault_point;

base::error head_too_late(bool in_proxy_header) {
  return {base::errc::head_timeout, in_proxy_header
                                        ? "The PROXY protocol header took too long to arrive."
                                        : "The request head took too long to arrive."};
}

base::error ended_early(bool in_proxy_header) {
  return {base::errc::request_malformed,
          std::string{"The connection's sending side was closed before the "} +
              (in_proxy_header ? "PROXY protocol header" : "request") + " was complete."};
}

base::error framing_broken() {
  return {base::errc::request_malformed,
          "The request was not framed: " + base::faults::reason_at(fault_point::frame) + "."};
}

/// `bytes` lie in the loop's read buffer or in a connection's own input, which can be written.
void corrupt(std::string_view bytes, std::uint64_t random) {
  base::faults::flip_bit({const_cast<char*>(bytes.data()), bytes.size()}, random);
}

/// What forwarding headers say comes from somebody of whom nothing is known.
void drop_forwarding(request& from) {
  for (const auto which : {header::x_forwarded_for, header::forwarded})
    if (from.has(which)) from.set(which, {});
}

} // namespace

connection::connection(connection_host& host, std::unique_ptr<byte_stream> stream,
                       const model::ip_address& peer, std::uint32_t slot, std::uint32_t generation,
                       opening begins_with)
    : host_{&host},
      stream_{std::move(stream)},
      peer_{peer},
      framer_{host.framing()},
      // Whoever connects has something to ask, and a proxy sends its header at once.
      phase_deadline_{host.loop().now() + host.limits().head_timeout},
      slot_{slot},
      generation_{generation},
      proxy_believed_{begins_with == opening::believed_proxy_header} {
  if (begins_with != opening::request) proxy_header_ = std::make_unique<proxy_header_reader>();
}

connection::~connection() = default;

int connection::start() {
  constexpr std::uint32_t interest = EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  const int failure = host_->loop().watch(stream_->descriptor(), interest, *this);
  if (failure == 0) arm();
  return failure;
}

void connection::on_events(std::uint32_t events) {
  if (phase_ == phase::closed) return;
  if ((events & (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) readable_ = true;
  if ((events & EPOLLPRI) != 0) urgent_ = true;
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) hung_up_ = true;
  // Both directions are gone: nobody is left to answer.
  if ((events & (EPOLLHUP | EPOLLERR)) != 0 && phase_ != phase::reading) return close();
  // Sent at the turn's end, where the transport bounds what all connections write.
  if ((events & EPOLLOUT) != 0 && unsent_bytes() > 0) schedule();
  if (phase_ == phase::reading) process();
  if (phase_ == phase::lingering) discard();
}

void connection::at_turn_end() {
  scheduled_ = false;
  if (phase_ == phase::closed) return;
  if (unsent_bytes() > 0 || close_after_flush_) flush();
  if (phase_ == phase::reading) process();
  if (phase_ == phase::lingering) discard();
}

byte_stream& connection::stream(fault_point at) {
  // Stays for the rest of the connection: it costs little where nothing is injected any more.
  if (base::faults::armed(at) && !std::exchange(stream_is_faulty_, true)) [[unlikely]]
    stream_ = std::make_unique<faulty_stream>(std::move(stream_), host_->loop(), *this);
  return *stream_;
}

// -- reading ------------------------------------------------------------------

bool connection::may_read() {
  if (close_after_flush_) return false;
  if (has_separate_body()) return false;
  // What nobody takes is held long: where others want memory, it is little.
  if (unsent_bytes() >= unsent_tight_bytes && host_->budget().is_tight()) return false;
  const auto held = unsent_capacity();
  if (held <= unsent_free_bytes) return true;
  return unsent_bytes() < unsent_pause_bytes && lease(unsent_lease_, held);
}

void connection::process() {
  if (!may_read()) return;
  auto bytes = next_bytes();
  if (proxy_header_ && !bytes.empty()) bytes = read_proxy_header(bytes);
  if (!bytes.empty()) parse(bytes);
  if (phase_ != phase::reading || close_after_flush_) return;
  // Fair: one read per turn; what is left waits for the others.
  if (!input_.empty() || readable_)
    schedule();
  else if (ended_)
    on_end_of_input();
}

std::string_view connection::next_bytes() {
  return input_.empty() ? read_some() : std::string_view{input_}.substr(input_framed_);
}

std::string_view connection::read_some() {
  if (!readable_ || ended_) return {};
  auto buffer = host_->read_buffer();
  // What may have to be kept is read in small parts then; a body has room already.
  if (host_->budget().is_tight() && !framer_.in_body())
    buffer = buffer.first(std::min(buffer.size(), input_free_bytes));
  const auto got = stream(fault_point::read).read(buffer);
  switch (got.status) {
  case io_status::moved:
    host_->metrics().received_bytes.add(got.bytes);
    // A short read has emptied the socket: edge-triggered epoll tells when there is more. The end
    // of the stream was told already, so it has to be read for.
    if (got.bytes < buffer.size() && !hung_up_ && !urgent_) readable_ = false;
    return {buffer.data(), got.bytes};
  case io_status::blocked: readable_ = false; return {};
  case io_status::ended:
    readable_ = false;
    ended_ = true;
    return {};
  case io_status::failed: close(); return {};
  }
  return {};
}

std::string_view connection::read_proxy_header(std::string_view bytes) {
  const auto read = proxy_header_->feed(bytes);
  switch (read.status) {
  case proxy_header_status::need_more: return {};
  case proxy_header_status::failed: refuse(proxy_header_->failure(), true); return {};
  case proxy_header_status::complete:
    end_proxy_header();
    return close_after_flush_ ? std::string_view{} : bytes.substr(read.consumed);
  }
  return {};
}

void connection::end_proxy_header() {
  const auto header = std::move(proxy_header_);
  if (proxy_believed_) {
    if (header->client() == proxied_client::named) peer_ = header->address();
    client_unknown_ = header->client() == proxied_client::unknown;
  }
  phase_deadline_ = host_->loop().now() + idle_time();
  arm();
  if (proxy_believed_ && !host_->named_client(*this)) refuse(too_many_connections(), true);
}

void connection::parse(std::string_view bytes) {
  const auto hit = base::faults::strike(fault_point::frame);
  if (hit.kind == base::fault_kind::error) return refuse(framing_broken(), true);
  if (hit.kind == base::fault_kind::corrupt) corrupt(bytes, hit.random);
  if (!request_) request_ = host_->take_request();
  const auto framed = framer_.feed(bytes, *request_);
  keep_rest(bytes.substr(framed.consumed));
  switch (framed.status) {
  case framer_status::need_more: return take_partial();
  case framer_status::complete: return begin_exchange();
  case framer_status::failed: return refuse(framer_.failure(), true);
  }
}

void connection::keep_rest(std::string_view rest) {
  if (rest.empty()) {
    std::string{}.swap(input_);
    input_framed_ = 0;
    input_lease_.reset();
    return;
  }
  if (input_.empty()) {
    if (rest.size() > input_free_bytes && !lease(input_lease_, rest.size())) {
      cut_ = true;
      return;
    }
    input_ = std::string{rest}; // of this size: a pooled buffer may be larger than what is counted
  } else {
    // `rest` is the end of `input_`.
    input_framed_ = static_cast<std::uint32_t>(input_.size() - rest.size());
  }
}

void connection::take_partial() {
  if (framer_.idle()) return host_->give_back(std::exchange(request_, nullptr));
  // An unfinished head counts as a whole one: it may become that without another look.
  if (!lease(request_->lease, host_->limits().head_limit_bytes + request_->body_capacity()))
    return refuse(too_many_request_bytes(), true);
  const auto now = host_->loop().now();
  if (framer_.in_body()) {
    if (!std::exchange(in_body_, true)) phase_deadline_ = now + host_->limits().body_timeout;
    if (framer_.take_continue()) {
      make_room();
      out_.append("HTTP/1.1 100 Continue\r\n\r\n");
      schedule();
    }
  } else if (begun_ == base::steady_time{}) {
    begun_ = now;
    phase_deadline_ = now + host_->limits().head_timeout;
  }
  arm();
}

void connection::on_end_of_input() {
  if (idle()) {
    close_after_flush_ = true;
    return unsent_bytes() > 0 ? schedule() : close();
  }
  refuse(ended_early(bool{proxy_header_}), true);
}

void connection::begin_exchange() {
  const auto now = host_->loop().now();
  request_->peer = peer_;
  if (client_unknown_) drop_forwarding(*request_);
  host_->assign_id(*request_);
  phase_ = phase::waiting;
  served_ = true;
  ++generation_;
  exchange_ = {};
  begun_ = now;
  phase_deadline_ = now + host_->limits().request_timeout;
  if (!lease(request_->lease, request_->body_capacity()))
    return refuse(too_many_request_bytes(), false);
  if (!host_->admit(*request_)) return refuse(too_many_in_flight(), false);
  hand_over();
  arm();
}

void connection::hand_over() {
  host_->dispatch(*this);
}

// -- answering ----------------------------------------------------------------

actors::exchange_ref connection::current() const noexcept {
  return {(std::uint64_t{slot_} << 32U) | generation_, exchange_.attempt};
}

bool connection::is_current(actors::exchange_ref ref) const noexcept {
  return phase_ == phase::waiting && ref == current();
}

bool connection::routed(operation asked, actors::owner waits_for) {
  if (!enter_mailbox(*request_, exchange_, asked, waits_for, host_->limits(), host_->metrics()))
    return false;
  exchange_.routed(asked, waits_for);
  const auto deadline = begun_ + answer_timeout(host_->limits(), asked);
  if (std::exchange(phase_deadline_, deadline) != deadline) arm();
  return true;
}

bool connection::retry(actors::handler dead) {
  if (const auto why = exchange_.begin_retry(row_of(exchange_.asked), *request_, dead)) {
    refuse(*why, false);
    return false;
  }
  hand_over();
  return true;
}

void connection::answer(actors::exchange_ref ref, response&& with) {
  if (!is_current(ref)) return;
  if (sends_body(with) && !hold(with)) return refuse(too_many_response_bytes(), false);
  queue(std::move(with), request_->keep_alive);
  // Requests that were pipelined behind this one are framed at once, so that their answers share a
  // write.
  if (!input_.empty() && phase_ == phase::reading) process();
}

void connection::refuse(const base::error& why, bool close) {
  if (phase_ != phase::waiting) {
    // Never became an exchange: give it the identity of one.
    if (!request_) request_ = host_->take_request();
    host_->assign_id(*request_);
    exchange_.asked = operation::unmatched;
    if (begun_ == base::steady_time{}) begun_ = host_->loop().now();
  }
  queue(refusal(why, request_->id), !close && request_->keep_alive);
}

void connection::queue(response&& answer, bool keep_alive) {
  keep_alive = keep_alive && !cut_ && !host_->draining();
  make_room();
  write_head(out_, answer, {request_->id, host_->date(), keep_alive, request_->http_1_0});
  if (sends_body(answer)) append_body(answer);
  settle(answer.status);
  if (!keep_alive) close_after_flush_ = true;
  phase_ = phase::reading;
  phase_deadline_ = host_->loop().now() + host_->limits().idle_timeout;
  schedule();
}

/// Before something is appended to `out_`.
void connection::make_room() {
  if (out_.empty()) out_ = host_->take_buffer();
  // What is sent goes, or a client that never takes the last byte would make it grow for ever. What
  // has to move is never more than what goes.
  if (out_sent_ < out_.size() - out_sent_) return;
  out_.erase(0, out_sent_);
  out_sent_ = 0;
}

bool connection::sends_body(const response& answer) const noexcept {
  return request_->method != method::head && has_body(answer.status);
}

bool connection::lease(base::byte_lease& of, std::size_t bytes) {
  if (of.grow_to(host_->budget(), bytes)) return true;
  return host_->make_room(bytes - of.bytes(), *this) && of.grow_to(host_->budget(), bytes);
}

bool connection::hold(response& answer) {
  const auto size = answer.memory_size();
  if (size <= unsent_free_bytes) return true;
  if (size > copied_body_bytes) {
    // Sent from where it is, instead of from a copy of up to twice its size.
    if (auto* owned = std::get_if<std::string>(&answer.body))
      answer.body = std::make_shared<const std::string>(std::move(*owned));
    if (const auto* shared = std::get_if<std::shared_ptr<const std::string>>(&answer.body))
      return answer.body_leased || lease(unsent_lease_, unsent_capacity() + (*shared)->capacity());
  }
  make_room();
  const auto needed = out_.size() + head_room_bytes + size;
  // A string that grows at least doubles.
  const auto grown = needed > out_.capacity() ? std::max(needed, 2 * out_.capacity()) : 0;
  if (!lease(unsent_lease_, std::max(grown, unsent_capacity()))) return false;
  out_.reserve(needed);
  return true;
}

void connection::append_body(response& answer) {
  if (auto* file = std::get_if<file_range>(&answer.body)) {
    if (file->length > 0) file_ = std::move(*file);
    return;
  }
  if (auto* shared = std::get_if<std::shared_ptr<const std::string>>(&answer.body);
      shared != nullptr && *shared && (*shared)->size() > copied_body_bytes) {
    body_ = std::move(*shared);
    body_leased_ = answer.body_leased;
    body_sent_ = 0;
    return;
  }
  answer.append_body(out_);
}

void connection::settle(int status) {
  auto& metrics = host_->metrics();
  metrics.count_answer(exchange_.asked, status);
  const auto took = host_->loop().now() - begun_;
  metrics.latency[static_cast<std::size_t>(exchange_.asked)].observe(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
  release_request();
  begun_ = {};
  in_body_ = false;
}

void connection::release_request() {
  request_->over.store(true, std::memory_order_relaxed);
  host_->give_back(std::exchange(request_, nullptr));
}

void connection::schedule() {
  if (!std::exchange(scheduled_, true)) host_->schedule(*this);
}

// -- writing ------------------------------------------------------------------

bool connection::has_separate_body() const noexcept {
  return body_ || file_.file;
}

std::size_t connection::unsent_memory_bytes() const noexcept {
  return out_.size() - out_sent_ + (body_ ? body_->size() - body_sent_ : 0);
}

std::size_t connection::unsent_capacity() const noexcept {
  return (out_.empty() ? 0 : out_.capacity()) + (body_ && !body_leased_ ? body_->capacity() : 0);
}

std::size_t connection::unsent_bytes() const noexcept {
  return unsent_memory_bytes() + file_.length;
}

void connection::flush() {
  if (reading_file_) return;
  // Asked once per flush: its file bytes are all within the part that was asked for.
  bool in_memory = std::exchange(file_read_, false);
  for (std::size_t room = flush_turn_bytes; unsent_bytes() > 0;) {
    if (room == 0) {
      schedule();
      return arm();
    }
    const bool from_file = unsent_memory_bytes() == 0;
    // What a slow reader of a file holds is its head no longer.
    if (from_file && !out_.empty()) release_out();
    if (from_file && !std::exchange(in_memory, true) && must_read_ahead(room)) return arm();
    const auto sent = from_file ? send_file(room) : send_memory(room);
    switch (sent.status) {
    case io_status::moved: break;
    case io_status::blocked: return expect_progress();
    case io_status::ended: // a file that is shorter than promised: so must be its answer
    case io_status::failed: return close();
    }
    host_->metrics().sent_bytes.add(sent.bytes);
    host_->wrote(sent.bytes);
    sent_since_look_ += sent.bytes;
    moved_at_ = host_->loop().now();
    room -= sent.bytes;
  }
  after_flush();
}

io_result connection::send_memory(std::size_t most) {
  std::array<iovec, 2> pieces;
  std::size_t count = 0;
  const auto add = [&](const std::string& from, std::size_t sent) {
    const auto length = std::min(from.size() - sent, most);
    if (length == 0) return;
    pieces[count++] = {const_cast<char*>(from.data()) + sent, length};
    most -= length;
  };
  add(out_, out_sent_);
  if (body_) add(*body_, body_sent_);
  const auto sent = stream(fault_point::write).write({pieces.data(), count}, bool{file_.file});
  const auto from_out = std::min(sent.bytes, out_.size() - out_sent_);
  out_sent_ += from_out;
  body_sent_ += sent.bytes - from_out;
  return sent;
}

io_result connection::send_file(std::size_t most) {
  const auto sent = stream(fault_point::write)
                        .send_file(file_.file->descriptor(), file_.offset,
                                   std::min<std::uint64_t>(file_.length, most));
  file_.offset += sent.bytes;
  file_.length -= sent.bytes;
  return sent;
}

bool connection::must_read_ahead(std::size_t most) {
  const auto length = std::min<std::uint64_t>(file_.length, most);
  reading_file_ = host_->read_ahead(*this, {file_.file, file_.offset, length});
  return reading_file_;
}

void connection::file_ready() {
  if (phase_ == phase::closed || !std::exchange(reading_file_, false)) return;
  file_read_ = true;
  schedule(); // sends, and then frames what came behind the file's request
}

void connection::release_out() {
  host_->give_back(std::exchange(out_, {}));
  out_sent_ = 0;
}

void connection::after_flush() {
  if (!out_.empty()) release_out();
  if (body_) host_->give_back(std::exchange(body_, nullptr));
  body_sent_ = 0;
  file_ = {};
  write_deadline_ = {};
  unsent_lease_.reset();
  if (close_after_flush_ && phase_ == phase::reading) return linger();
  // Idle from here on, however long the answer took; unless the next request has begun.
  if (phase_ == phase::reading && begun_ == base::steady_time{} && !in_body_)
    phase_deadline_ = host_->loop().now() + idle_time();
  arm();
}

// -- closing ------------------------------------------------------------------

void connection::linger() {
  if (ended_) return close();
  stream_->shutdown_write();
  phase_ = phase::lingering;
  phase_deadline_ = host_->loop().now() + linger_timeout;
  keep_rest({});
  readable_ = true;
  arm();
  discard();
}

void connection::discard() {
  const auto buffer = host_->read_buffer();
  const auto got = stream(fault_point::read).read(buffer);
  switch (got.status) {
  case io_status::blocked: return;
  case io_status::moved:
    discarded_bytes_ += static_cast<std::uint32_t>(got.bytes);
    if (discarded_bytes_ > linger_bytes) return close();
    return schedule();
  case io_status::ended:
  case io_status::failed: return close();
  }
}

void connection::close() {
  if (phase_ == phase::closed) return;
  phase_ = phase::closed;
  host_->loop().timers().cancel(*this);
  if (request_) release_request();
  if (body_) host_->give_back(std::exchange(body_, nullptr));
  input_lease_.reset();
  unsent_lease_.reset();
  host_->loop().unwatch(stream_->descriptor());
  stream_.reset();
  host_->closed(*this);
}

bool connection::idle() const noexcept {
  return phase_ == phase::reading && framer_.idle() && input_.empty() &&
         (!proxy_header_ || proxy_header_->idle());
}

std::optional<base::steady_time> connection::idle_since() const noexcept {
  if (!idle() || unsent_bytes() > 0 || close_after_flush_) return std::nullopt;
  return phase_deadline_ - idle_time();
}

std::optional<base::steady_time> connection::stalled_since() const noexcept {
  if (phase_ == phase::closed || write_deadline_ == base::steady_time{} ||
      unsent_lease_.bytes() == 0)
    return std::nullopt;
  return moved_at_;
}

bool connection::evict_idle() {
  // A request may be in the socket already: that one is served.
  if (readable_ || has_input(stream_->descriptor())) return false;
  close();
  return true;
}

bool connection::evict_stalled() {
  // The socket tells late that there is room; the kernel's queue tells at once.
  if (take_stock() > 0) {
    moved_at_ = host_->loop().now();
    return false;
  }
  cut();
  return true;
}

void connection::cut() {
  stream_->reset_at_end();
  close();
}

std::chrono::milliseconds connection::idle_time() const noexcept {
  return served_ ? host_->limits().idle_timeout : host_->limits().head_timeout;
}

void connection::close_if_idle() {
  if (!idle()) return;
  // A request may be in the socket already: that one is answered first.
  readable_ = true;
  process();
  if (!idle() || close_after_flush_) return;
  close_after_flush_ = true;
  flush();
}

void connection::end_now() {
  if (phase_ == phase::closed) return; // for another's sake, in this very turn
  const bool begun = phase_ == phase::reading && !idle() && !close_after_flush_;
  if (phase_ == phase::waiting || (begun && !has_separate_body())) refuse(shutting_down(), true);
  if (unsent_bytes() > 0 || close_after_flush_) flush();
  // Unread input would turn the close into a reset, and that may eat the answer.
  if (phase_ == phase::lingering) discard();
  close();
}

// -- deadlines ----------------------------------------------------------------

void connection::arm() {
  if (phase_ == phase::closed) return;
  auto deadline = phase_deadline_;
  // While an answer is being taken, idleness is measured by the write deadline alone.
  if (write_deadline_ != base::steady_time{})
    deadline = phase_ == phase::waiting ? std::min(deadline, write_deadline_) : write_deadline_;
  host_->loop().timers().arm(*this, deadline);
}

void connection::expect_progress() {
  if (write_deadline_ == base::steady_time{}) {
    write_deadline_ = host_->loop().now() + host_->limits().write_timeout;
    unacknowledged_at_look_ = stream_->unacknowledged_bytes();
    sent_since_look_ = 0;
  }
  // However little it is: many that take nothing are much.
  lease(unsent_lease_, unsent_capacity());
  if (phase_ != phase::closed) arm();
}

std::uint64_t connection::take_stock() {
  const auto left = stream_->unacknowledged_bytes();
  const auto were = unacknowledged_at_look_ + std::exchange(sent_since_look_, 0);
  const auto taken = were - std::min<std::uint64_t>(were, left);
  unacknowledged_at_look_ = left;
  const auto& limits = host_->limits();
  const std::chrono::milliseconds earned{taken * 1'000 / limits.write_least_rate};
  write_deadline_ += std::min(earned, limits.write_timeout * progress_credit_limit);
  return taken;
}

void connection::on_deadline() {
  const auto now = host_->loop().now();
  if (phase_ == phase::lingering) return close();
  if (write_deadline_ != base::steady_time{}) {
    if (now >= write_deadline_) take_stock();
    if (now >= write_deadline_) return cut();
    if (phase_ != phase::waiting) return arm();
  }
  if (now < phase_deadline_) return arm();
  // The file's next bytes do not come: whatever were said now would be taken for them.
  if (reading_file_) return cut();
  if (has_separate_body()) { // on its way, and its client takes it
    phase_deadline_ = now + idle_time();
    return arm();
  }
  if (phase_ == phase::waiting) return refuse(not_answered_in_time(exchange_.asked), false);
  if (idle()) {
    close_after_flush_ = true;
    return flush();
  }
  if (framer_.in_body())
    return refuse({base::errc::body_timeout, "The request body took too long to arrive."}, true);
  refuse(head_too_late(bool{proxy_header_}), true);
}

} // namespace matchcloud::http
