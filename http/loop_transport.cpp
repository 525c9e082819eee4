#include "http/loop_transport.hpp"

#include "base/faults.hpp"
#include "http/listener.hpp"
#include "http/loop_pass.hpp"

#include <caf/send.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace matchcloud::http {

shared_bounds::shared_bounds(const base::limits& configured)
    : limits{configured},
      framing{configured.head_limit_bytes, configured.target_limit_bytes,
              framer_limits{}.header_limit, configured.body_limit_bytes},
      budget{configured.byte_budget_bytes} {}

/// A listener of this loop. Pauses at the connection limit and when the process is out of
/// descriptors; the timer looks again.
class loop_transport::accepting final : public io_handler, public timer {
public:
  accepting(loop_transport& owner, base::file_descriptor socket, const proxy_trust* trust)
      : owner_{&owner}, socket_{std::move(socket)}, trust_{trust} {
    owner_->loop_->watch(socket_.get(), EPOLLIN, *this);
  }

  ~accepting() override { owner_->loop_->unwatch(socket_.get()); }

  void on_events(std::uint32_t) override { accept_some(accepts_per_event); }

  /// Accepts until the backlog is empty or `most` are taken.
  void accept_some(std::size_t most) {
    for (std::size_t i = 0; i < most; ++i) {
      auto& count = owner_->bounds_->connections;
      if (count.fetch_add(1) >= owner_->limits().connection_limit) {
        count.fetch_sub(1);
        return pause();
      }
      const auto next = fate_of_next();
      if (next == fate::waits) {
        count.fetch_sub(1);
        return;
      }
      sockaddr_storage storage{};
      socklen_t length = sizeof storage;
      base::file_descriptor client{::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&storage),
                                             &length, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!client) {
        count.fetch_sub(1);
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
          return pause();
        if (errno == EAGAIN || errno == EWOULDBLOCK) return;
        continue; // that one client is gone (ECONNABORTED and the like)
      }
      if (next == fate::is_dropped) {
        count.fetch_sub(1);
        continue;
      }
      const auto peer = endpoint_of(storage).address;
      owner_->add(std::move(client), peer, opening_of(peer));
    }
  }

private:
  opening opening_of(const model::ip_address& peer) const noexcept {
    if (trust_ == nullptr) return opening::request;
    return is_trusted(peer, *trust_) ? opening::believed_proxy_header
                                     : opening::ignored_proxy_header;
  }

  enum class fate : std::uint8_t { is_taken, is_dropped, waits };

  /// What fault injection does to the next connection. Where it waits, the listener is paused.
  fate fate_of_next() {
    // Who waits when the listener closes would be reset. A pass needs somebody to take.
    const bool armed = base::faults::armed(base::fault_point::accept);
    if (owner_->draining_ || (armed && !is_asked_for())) return fate::is_taken;
    const auto now = owner_->loop_->now();
    const auto hit = pass_.begin(now);
    if (pass_.is_held()) {
      pause_until(pass_.again_at(now));
      return fate::waits;
    }
    pass_.end();
    if (hit.kind == base::fault_kind::drop) return fate::is_dropped;
    if (hit.kind != base::fault_kind::error) return fate::is_taken;
    pause(); // as without descriptors
    return fate::waits;
  }

  /// Whether a connection waits in the backlog.
  bool is_asked_for() const noexcept {
    pollfd listening{socket_.get(), POLLIN, 0};
    return ::poll(&listening, 1, 0) > 0;
  }

  void pause() { pause_until(owner_->loop_->now() + accept_pause); }

  void pause_until(base::steady_time when) {
    owner_->loop_->modify(socket_.get(), 0, *this);
    owner_->loop_->timers().arm(*this, when);
  }

  void on_deadline() override { owner_->loop_->modify(socket_.get(), EPOLLIN, *this); }

  loop_transport* owner_;
  base::file_descriptor socket_;
  /// Null: its connections begin with a request.
  const proxy_trust* trust_;
  loop_pass pass_{base::fault_point::accept};
};

loop_transport::loop_transport(event_loop& loop, const base::clock& clock,
                               base::blocking_pool& pool, shared_bounds& bounds,
                               transport_metrics& metrics, std::uint64_t seed,
                               std::function<void()> on_empty)
    : loop_{&loop},
      clock_{&clock},
      pool_{&pool},
      bounds_{&bounds},
      metrics_{&metrics},
      on_empty_{std::move(on_empty)},
      ids_{seed},
      read_buffer_(read_buffer_bytes) {}

loop_transport::~loop_transport() = default;

void loop_transport::listen(base::file_descriptor socket, const proxy_trust* trust) {
  listeners_.push_back(std::make_unique<accepting>(*this, std::move(socket), trust));
}

void loop_transport::adopt(base::file_descriptor socket, const model::ip_address& peer) {
  bounds_->connections.fetch_add(1);
  add(std::move(socket), peer, opening::request);
}

void loop_transport::add(base::file_descriptor socket, const model::ip_address& peer,
                         opening begins_with) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const auto index = free_slots_.back();
  free_slots_.pop_back();
  auto& place = slots_[index];
  connection_host& host = *this;
  place.occupant =
      std::make_unique<connection>(host, std::make_unique<socket_stream>(std::move(socket)), peer,
                                   index, place.generation, begins_with);
  live_.fetch_add(1, std::memory_order_relaxed);
  metrics_->connections.add(1);
  metrics_->connections_accepted.add();
  if (place.occupant->start() != 0) place.occupant->end_now();
}

// -- exchanges ----------------------------------------------------------------

connection* loop_transport::current(actors::exchange_ref exchange) const noexcept {
  const auto index = static_cast<std::uint32_t>(exchange.exchange >> 32U);
  if (index >= slots_.size()) return nullptr;
  auto* occupant = slots_[index].occupant.get();
  return occupant != nullptr && occupant->is_current(exchange) ? occupant : nullptr;
}

bool loop_transport::admit(admitted_request& which) {
  return which.permit.acquire(metrics_->in_flight, limits().in_flight_limit);
}

void loop_transport::dispatch(connection& from) {
  if (front_) caf::anon_send(front_, http::dispatch{from.current(), from.current_request()});
}

void loop_transport::attach(caf::actor front) {
  front_ = std::move(front);
  redispatch_where(actors::handler::front, [](const connection&) { return true; });
}

void loop_transport::redispatch(actors::owner owner) {
  redispatch_where(actors::handler::owner,
                   [owner](const connection& from) { return from.waits_for() == owner; });
}

template <class Condition>
void loop_transport::redispatch_where(actors::handler dead, Condition&& condition) {
  for (const auto& place : slots_) {
    auto* occupant = place.occupant.get();
    if (occupant == nullptr || !occupant->waiting() || !condition(*occupant)) continue;
    if (occupant->retry(dead)) metrics_->redispatched.add();
  }
}

bool loop_transport::routed(actors::exchange_ref exchange, operation asked,
                            actors::owner waits_for) {
  auto* from = current(exchange);
  return from == nullptr || from->routed(asked, waits_for);
}

request_ptr loop_transport::find(actors::exchange_ref exchange) const {
  const auto* from = current(exchange);
  return from != nullptr ? from->current_request() : nullptr;
}

void loop_transport::answer(actors::exchange_ref exchange, response&& with) {
  if (auto* from = current(exchange)) from->answer(exchange, std::move(with));
}

// -- files --------------------------------------------------------------------

bool loop_transport::read_ahead(connection& which, const file_range& part) {
  if (part.file->is_resident(part.offset, part.length)) return false;
  return pool_->submit([this, part, index = which.slot(), generation = which.generation()] {
    part.file->read_ahead(part.offset, part.length);
    loop_->post([this, index, generation] { file_ready(index, generation); });
  });
}

void loop_transport::file_ready(std::uint32_t index, std::uint32_t generation) {
  auto* occupant = slots_[index].occupant.get();
  // Another connection may have the slot by now, with the same generation until its first request:
  // that one waits for no file.
  if (occupant != nullptr && occupant->generation() == generation) occupant->file_ready();
}

// -- the turn -----------------------------------------------------------------

void loop_transport::schedule(connection& which) {
  scheduled_.push_back(&which);
  plan_turn_end();
}

void loop_transport::closed(connection& which) {
  closed_slots_.push_back(which.slot());
  plan_turn_end();
}

void loop_transport::plan_turn_end() {
  if (std::exchange(turn_end_planned_, true)) return;
  loop_->at_turn_end([this] { finish_turn(); });
}

void loop_transport::finish_turn() {
  turn_end_planned_ = false;
  turn_written_bytes_ = 0;
  running_.swap(scheduled_);
  const auto until = clock_->now() + write_turn_time;
  auto next = running_.begin();
  while (next != running_.end() && turn_written_bytes_ < write_turn_bytes &&
         (next == running_.begin() || clock_->now() < until))
    (*next++)->at_turn_end();
  if (next != running_.end()) {
    // Before those who had their turn and want another: everybody's comes.
    scheduled_.insert(scheduled_.begin(), next, running_.end());
    plan_turn_end();
  }
  running_.clear();
  // Whoever was scheduled meanwhile is alive, or closed and still in its slot: forget the latter.
  if (!closed_slots_.empty()) {
    std::erase_if(scheduled_, [](const connection* which) { return which->is_closed(); });
    for (const auto index : closed_slots_) {
      slots_[index].generation = slots_[index].occupant->generation();
      slots_[index].occupant.reset();
      free_slots_.push_back(index);
    }
    const auto gone = closed_slots_.size();
    closed_slots_.clear();
    bounds_->connections.fetch_sub(gone);
    live_.fetch_sub(gone, std::memory_order_relaxed);
    metrics_->connections.add(-static_cast<std::int64_t>(gone));
    if (draining_ && connection_count() == 0) on_empty_();
  }
  if (closing_idle_)
    for (const auto& place : slots_)
      if (place.occupant) place.occupant->close_if_idle();
}

std::string_view loop_transport::date() {
  if (loop_->now() - date_checked_ > std::chrono::milliseconds{100}) {
    date_checked_ = loop_->now();
    const auto second = clock_->unix_ms() / 1'000;
    if (std::exchange(date_second_, second) != second) date_ = http_date(second);
  }
  return date_;
}

// -- pools --------------------------------------------------------------------

std::shared_ptr<admitted_request> loop_transport::take_request() {
  if (requests_.empty()) return std::make_shared<admitted_request>();
  auto pooled = std::move(requests_.back());
  requests_.pop_back();
  return pooled;
}

void loop_transport::give_back(std::shared_ptr<admitted_request> used) {
  // An actor may still hold it (a message on its way); then it is not ours to change.
  if (used.use_count() != 1 || requests_.size() >= pool_limit) return;
#ifdef __SANITIZE_THREAD__
  // ThreadSanitizer does not model fences. Counting it once more is a read-modify-write of the
  // count, which comes behind that of every actor that let go of it.
  const auto again = used;
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  used->recycle(pooled_buffer_limit_bytes);
  requests_.push_back(std::move(used));
}

std::string loop_transport::take_buffer() {
  if (buffers_.empty()) return {};
  auto pooled = std::move(buffers_.back());
  buffers_.pop_back();
  return pooled;
}

void loop_transport::give_back(std::string used) {
  if (used.capacity() > pooled_buffer_limit_bytes || buffers_.size() >= pool_limit) return;
  used.clear();
  buffers_.push_back(std::move(used));
}

void loop_transport::give_back(std::shared_ptr<const std::string> sent) {
  // The kernel takes a millisecond to take ten megabytes back. A full pool leaves it to this loop.
  if (sent.use_count() == 1 && sent->size() > freed_here_bytes)
    pool_->submit([last = std::move(sent)] {});
}

// -- draining -----------------------------------------------------------------

void loop_transport::begin_drain() {
  draining_ = true;
  for (const auto& listener : listeners_)
    listener->accept_some(static_cast<std::size_t>(limits().listen_backlog));
  listeners_.clear();
  if (connection_count() == 0) on_empty_();
}

void loop_transport::hand_over() {
  listeners_.clear();
  begin_drain();
}

void loop_transport::close_idle() {
  closing_idle_ = true;
  plan_turn_end();
}

void loop_transport::end_now() {
  for (const auto& place : slots_)
    if (place.occupant) place.occupant->end_now();
}

} // namespace matchcloud::http
