#include "http/transport/loop_transport.hpp"

#include "actors/validator/messages.hpp"
#include "base/check.hpp"
#include "base/faults.hpp"
#include "base/free_memory.hpp"
#include "http/loop/loop_pass.hpp"
#include "http/transport/listener.hpp"
#include "http/transport/refusals.hpp"

#include <caf/send.hpp>
#include <spdlog/spdlog.h>

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace matchcloud::http {

/// A listener of this loop. It pauses at the connection limit, when the process is out of
/// descriptors, and when a fault is injected; its timer resumes it.
class loop_transport::acceptor final : public io_handler, public timer {
public:
  acceptor(loop_transport& owner, base::file_descriptor socket, listener_kind kind)
      : owner_{&owner}, socket_{std::move(socket)}, kind_{kind} {
    prepare_client_socket(socket_.get()); // an older predecessor may not have done so
    owner_->loop_->watch(socket_.get(), EPOLLIN, *this);
  }

  ~acceptor() override { owner_->loop_->unwatch(socket_.get()); }

  void on_events(std::uint32_t) override { accept_some(accepts_per_event); }

  void accept_silent() { accept_with_first_bytes(socket_.get(), false); }

  /// Accepts until the backlog is empty, `most` are taken or, unless connections drain, the time is
  /// up: the event then comes again.
  void accept_some(std::size_t most) {
    const auto until = owner_->clock_->now() + accept_turn_time;
    for (std::size_t i = 0; i < most; ++i) {
      const bool looks = i > 0 && i % steps_per_clock == 0 && !owner_->draining_;
      if (looks && owner_->clock_->now() >= until) return;
      // Close to the limit, an idle connection is evicted, in this loop or another, only if a
      // client is really waiting.
      if (owner_->is_near_connection_limit() && !has_input(socket_.get())) return;
      if (!owner_->reserve_connection()) return pause();
      const auto next = decide_next();
      if (next == accept_decision::wait) return owner_->release_connection();
      sockaddr_storage storage{};
      socklen_t length = sizeof storage;
      base::file_descriptor client{::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&storage),
                                             &length, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!client) {
        owner_->release_connection();
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
          owner_->evict_idle();
          return pause();
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) return;
        continue; // the client is gone (ECONNABORTED and similar)
      }
      if (next == accept_decision::drop) {
        owner_->release_connection();
        continue;
      }
      const auto peer = endpoint_of(storage).address;
      owner_->admit_socket(std::move(client), peer, preamble_of(peer), kind_.tls);
    }
  }

private:
  preamble preamble_of(const model::ip_address& peer) const noexcept {
    if (!kind_.proxy_header) return preamble::none;
    return is_trusted(peer, owner_->bounds_->trust) ? preamble::trusted_proxy_header
                                                    : preamble::ignored_proxy_header;
  }

  enum class accept_decision : std::uint8_t { take, drop, wait };

  /// What fault injection does to the next connection. Where the connection waits, the listener is
  /// paused.
  accept_decision decide_next() {
    // While draining, faults are ignored: connections that still wait when the listener closes
    // would be reset. A pass of the fault point needs a connection that waits.
    const bool armed =
        owner_->serves() == plane::data && base::faults::armed(base::fault_point::accept);
    if (owner_->draining_ || owner_->serves() == plane::ops || (armed && !has_input(socket_.get())))
      return accept_decision::take;
    const auto now = owner_->loop_->now();
    const auto hit = pass_.begin(now);
    if (pass_.is_held()) {
      pause_until(pass_.again_at(now));
      return accept_decision::wait;
    }
    pass_.end();
    if (hit.kind == base::fault_kind::drop) return accept_decision::drop;
    if (hit.kind != base::fault_kind::error) return accept_decision::take;
    pause(); // as if out of descriptors
    return accept_decision::wait;
  }

  void pause() { pause_until(owner_->loop_->now() + accept_pause); }

  void pause_until(base::steady_time when) {
    owner_->loop_->modify(socket_.get(), 0, *this);
    owner_->loop_->timers().arm(*this, when);
  }

  void on_deadline() override { owner_->loop_->modify(socket_.get(), EPOLLIN, *this); }

  loop_transport* owner_;
  base::file_descriptor socket_;
  listener_kind kind_;
  loop_pass pass_{base::fault_point::accept};
};

loop_transport::loop_transport(event_loop& loop, const base::clock& clock,
                               base::blocking_pool& pool, shared_bounds& bounds,
                               std::shared_ptr<const head_rules> rules, transport_metrics& metrics,
                               std::uint64_t seed, std::function<void()> on_empty)
    : loop_{&loop},
      clock_{&clock},
      pool_{&pool},
      bounds_{&bounds},
      rules_{std::move(rules)},
      metrics_{&metrics},
      on_empty_{std::move(on_empty)},
      ids_{seed},
      shares_here_{bounds.limits.ipv6_client_prefix},
      read_buffer_(read_buffer_bytes) {
  bounds.transports.push_back(this);
}

loop_transport::~loop_transport() = default;

void loop_transport::listen(base::file_descriptor socket, listener_kind kind) {
  base::check(!kind.tls || tls_, "a listener with TLS has a context");
  listeners_.push_back(std::make_unique<acceptor>(*this, std::move(socket), kind));
}

void loop_transport::adopt(base::file_descriptor socket, const model::ip_address& peer) {
  bounds_->connections.fetch_add(1);
  prepare_client_socket(socket.get());
  add(std::move(socket), peer, preamble::none, false, false);
}

void loop_transport::admit_socket(base::file_descriptor socket, const model::ip_address& peer,
                                  preamble begins_with, bool speaks_tls) {
  // A trusted proxy connects for many clients, so it is in no share itself. A PROXY header names
  // the client (`on_client_named`).
  const bool in_share = !is_trusted(peer, bounds_->trust);
  if (!in_share || count_in_share(peer))
    return add(std::move(socket), peer, begins_with, in_share, speaks_tls);
  // Whoever speaks TLS would take an answer without it for an attack: the end says it.
  if (!speaks_tls) refuse_socket(socket);
  release_connection();
}

void loop_transport::refuse_socket(const base::file_descriptor& socket) {
  const auto id = ids_.next();
  const auto answer = refusal(too_many_connections(), id, serves());
  std::string text;
  write_head(text, answer, {id, date(), false, false});
  answer.append_body(text);
  // Sent with one call: a client with too many connections is not waited for. A request that has
  // arrived already is read, because closing with unread input would reset what was just sent.
  ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket.get(), SHUT_WR);
  ::recv(socket.get(), read_buffer_.data(), read_buffer_.size(), MSG_DONTWAIT);
}

std::size_t loop_transport::most_per_address(const model::ip_address& client) const noexcept {
  if (serves() == plane::ops || (client.is_loopback() && !limits().limits_loopback))
    return SIZE_MAX;
  return limits().connections_per_address;
}

bool loop_transport::count_in_share(const model::ip_address& client, const connection* but) {
  const auto limit = limits().connection_limit;
  const auto most = most_per_address(client);
  if (bounds_->shares.count_of(client) >= most ||
      (!client.is_v4() &&
       bounds_->networks.count_of(client) / shared_bounds::network_width >= most)) {
    metrics_->connections_refused.add();
    return false;
  }
  const bool shared = bounds_->connections.load() > limit / unshared_part;
  const auto share = std::max<std::size_t>(1, limit * limits().connection_share_percent / 100);
  if (!bounds_->shares.enter(client, shared ? share : SIZE_MAX)) {
    if (!evict_idle_of(client, but) && !evict_elsewhere(client, share)) {
      metrics_->connections_refused.add();
      return false;
    }
    bounds_->shares.enter(client, SIZE_MAX);
  }
  shares_here_.enter(client, SIZE_MAX);
  if (!client.is_v4()) bounds_->networks.enter(client, SIZE_MAX);
  return true;
}

bool loop_transport::evict_elsewhere(const model::ip_address& client, std::size_t share) {
  const auto& all = bounds_->transports;
  const auto part = std::max<std::size_t>(1, share / all.size());
  if (all.size() == 1 || shares_here_.count_of(client) >= part) return false;
  for (auto* other : all)
    if (other != this)
      other->loop_->post([other, client] { other->evict_idle_of(client, nullptr); });
  return true;
}

bool loop_transport::on_client_named(connection& which) {
  if (is_trusted(which.peer(), bounds_->trust)) return true; // the proxy itself: a health check
  return slots_[which.slot()].in_share = count_in_share(which.peer(), &which);
}

void loop_transport::add(base::file_descriptor socket, const model::ip_address& peer,
                         preamble begins_with, bool in_share, bool speaks_tls) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const auto index = free_slots_.back();
  free_slots_.pop_back();
  auto& each = slots_[index];
  connection_host& host = *this;
  each.held = std::make_unique<connection>(host, std::make_unique<socket_stream>(std::move(socket)),
                                           peer, index, each.generation, begins_with,
                                           speaks_tls ? tls_ : nullptr);
  each.in_share = in_share;
  live_.fetch_add(1, std::memory_order_relaxed);
  metrics_->connections.add(1);
  metrics_->connections_accepted.add();
  most_live_ = std::max(most_live_, connection_count());
  if (!tidying_.armed()) loop_->timers().arm(tidying_, loop_->now() + tidy_interval);
  each.held->start();
}

// -- making room --------------------------------------------------------------

bool loop_transport::is_near_connection_limit() const noexcept {
  return bounds_->connections.load() + bounds_->transports.size() > limits().connection_limit;
}

bool loop_transport::reserve_connection() {
  if (bounds_->connections.fetch_add(1) < limits().connection_limit || evict_idle()) return true;
  release_connection();
  for (auto* other : bounds_->transports)
    if (other != this) other->loop_->post([other] { other->evict_idle(); });
  return false;
}

template <class SinceOf, class Evict>
bool loop_transport::evict_next(eviction_order& order, SinceOf&& since_of, Evict&& evict) {
  const auto goes = [&](const eviction_order::candidate& next) {
    auto* held = slots_[next.slot].held.get();
    return held != nullptr && since_of(*held) == next.since && evict(*held);
  };
  for (bool looked = false;; looked = true) {
    while (const auto next = order.next())
      if (goes(*next)) return true;
    const auto now = loop_->now();
    if (looked || now < next_look_ || !order.may_look(now)) return false;
    if (slots_.size() > free_look_slots) next_look_ = now + look_pause_per_slot * slots_.size();
    std::vector<eviction_order::candidate> all;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (const auto* held = slots_[i].held.get(); held != nullptr)
        if (const auto since = since_of(*held))
          all.push_back({*since, static_cast<std::uint32_t>(i)});
    order.fill(std::move(all), slots_.size(), now);
  }
}

template <class SinceOf>
bool loop_transport::evict_idle(eviction_order& order, SinceOf&& since_of) {
  const bool gone = evict_next(order, since_of, [](connection& which) { return which.evict(); });
  if (gone) metrics_->connections_evicted_idle.add();
  return gone;
}

bool loop_transport::evict_idle() {
  return evict_idle(longest_idle_, [](const connection& of) { return of.idle_since(); }) ||
         (serves() == plane::ops && evict_slow());
}

bool loop_transport::evict_slow() {
  if (evict_idle(longest_unfinished_, [](const connection& of) { return of.unfinished_since(); }))
    return true;
  const auto blocked = [&](const connection& of) {
    const auto since = of.blocked_since();
    return since && loop_->now() - *since >= stall_least ? since : std::nullopt;
  };
  const bool gone = evict_next(longest_blocked_, blocked,
                               [](connection& which) { return which.evict_stalled(); });
  if (gone) metrics_->connections_evicted_stalled.add();
  return gone;
}

bool loop_transport::evict_idle_of(const model::ip_address& client, const connection* but) {
  const auto& shares = bounds_->shares;
  const auto whose = shares.client_of(client);
  auto found = std::find_if(idle_by_client_.begin(), idle_by_client_.end(),
                            [&](const auto& each) { return each.first == whose; });
  if (found == idle_by_client_.end()) {
    if (idle_by_client_.size() == idle_orders_limit) idle_by_client_.erase(idle_by_client_.begin());
    found = idle_by_client_.insert(idle_by_client_.end(), {whose, {}});
  }
  return evict_idle(found->second, [&](const connection& of) {
    return &of != but && shares.client_of(of.peer()) == whose ? of.idle_since() : std::nullopt;
  });
}

bool loop_transport::make_room(std::size_t bytes, const connection& but) {
  auto& budget = bounds_->budget;
  if (bytes > budget.limit_bytes()) return false;
  const auto stalled = [&](const connection& of) {
    const auto since = &of != &but ? of.stalled_since() : std::nullopt;
    return since && loop_->now() - *since >= stall_least ? since : std::nullopt;
  };
  const auto evict = [](connection& which) { return which.evict_stalled(); };
  while (budget.used_bytes() + bytes > budget.limit_bytes()) {
    if (!evict_next(longest_stalled_, stalled, evict)) return false;
    metrics_->connections_evicted_stalled.add();
  }
  return true;
}

void loop_transport::tidy() {
  const auto dropped = requests_.drop_unused() + buffers_.drop_unused();
  const auto live = connection_count();
  const auto most_live = std::exchange(most_live_, live);
  auto& budget = bounds_->budget;
  if (budget.take_peak() >= budget.used_bytes() + returned_least_bytes ||
      most_live >= live + returned_least_connections || dropped >= returned_least_pooled)
    pool_->submit([] { base::trim_heaps(); });
  if (live > 0 || !requests_.is_empty() || !buffers_.is_empty())
    loop_->timers().arm(tidying_, loop_->now() + tidy_interval);
}

// -- TLS ----------------------------------------------------------------------

void loop_transport::schedule_handshake(connection& which) {
  handshakes_.push(which.peer_lane(), which.slot());
  plan_turn_end();
}

void loop_transport::begin_handshake() {
  const auto most = std::max<std::size_t>(
      1, limits().tls_handshakes_limit / std::max<std::size_t>(1, bounds_->transports.size()));
  if (handshaking_ >= most)
    evict_next(
        longest_handshaking_, [](const connection& of) { return of.handshaking_since(); },
        [](connection& each) {
          each.evict_handshake();
          return true;
        });
  ++handshaking_;
  metrics_->handshaking.add(1);
}

void loop_transport::end_handshake(handshake_end how) noexcept {
  --handshaking_;
  metrics_->handshaking.add(-1);
  metrics_->handshakes[static_cast<std::size_t>(how)].add();
}

void loop_transport::run_handshakes() {
  // Those that ask again meanwhile come at the end of the next turn.
  auto left = handshakes_.size();
  const auto until = clock_->now() + handshake_turn_time;
  for (bool first = true; left > 0 && (first || clock_->now() < until); --left, first = false)
    if (auto* next = held_in(handshakes_.pop()->item)) next->shake_hands();
}

void loop_transport::note_tls_failure(const connection& with, tls_cause cause,
                                      std::string_view why) {
  const auto now = loop_->now();
  auto& logged = tls_failure_logged_[static_cast<std::size_t>(cause)];
  if (logged != base::steady_time{} && now - logged < tls_failure_log_interval) return;
  logged = now;
  // An operator can mend the listener, not what clients do in handshakes.
  const auto level = cause == tls_cause::plain_listener ? spdlog::level::warn : spdlog::level::info;
  spdlog::log(level, "tls: no TLS with {}: {}", model::to_string(with.peer()), why);
}

// -- exchanges ----------------------------------------------------------------

connection* loop_transport::current(actors::exchange_ref exchange) const noexcept {
  const auto index = static_cast<std::uint32_t>(exchange.exchange >> 32U);
  if (index >= slots_.size()) return nullptr;
  auto* held = slots_[index].held.get();
  return held != nullptr && held->is_current(exchange) ? held : nullptr;
}

lane loop_transport::lane_of(const model::ip_address& client) const noexcept {
  return http::lane_of(
      base::siphash(bounds_->lane_key, prefix_of(client, limits().ipv6_client_prefix).bytes));
}

lane loop_transport::lane_of(const request& which, lane by_peer) const {
  if (which.has(header::authorization))
    if (const auto key = rules_->token_key(which); key != 0) return http::lane_of(key);
  if (!which.has(header::x_forwarded_for) && !which.has(header::forwarded)) return by_peer;
  return lane_of(rules_->client_of(which));
}

bool loop_transport::admit(admitted_request& which, lane client) {
  const auto limit = limits().in_flight_limit;
  if (!which.permit.acquire(metrics_->in_flight, limit)) return false;
  // As with the other limits of addresses, the machine itself has none unless told.
  const bool is_local = which.peer.is_loopback() && !which.through_proxy;
  const auto open = is_local && !limits().limits_loopback
                        ? 0
                        : metrics_->in_flight.load(std::memory_order_relaxed);
  if (queue_.enter(client, open, limit)) return true;
  which.permit.reset();
  return false;
}

void loop_transport::dispatch(connection& from) {
  if (!front_) return;
  const auto& request = from.current_request();
  const bool is_long = request->body.size() > actors::large_body_bytes;
  queue_.push(is_long ? long_lane_of(from.client_lane()) : from.client_lane(),
              {from.current(), request});
  announce();
}

void loop_transport::announce() {
  if (front_ && !std::exchange(announced_, true)) caf::anon_send(front_, requests_wait{});
}

std::optional<http::dispatch> loop_transport::take_waiting() {
  while (auto next = queue_.take()) {
    auto* from = current(next->item.exchange);
    if (from == nullptr) continue; // its client is gone, or it was answered
    from->begin_service(next->from, request_queue::units_of(next->item.request->body.size()));
    return std::move(next->item);
  }
  announced_ = false;
  return std::nullopt;
}

void loop_transport::attach(caf::actor front) {
  const bool is_first = !front_;
  front_ = std::move(front);
  queue_.clear();
  announced_ = false;
  if (is_first) { // nobody was asked yet: no attempt was in vain
    for (const auto& each : slots_)
      if (each.held && each.held->waiting()) dispatch(*each.held);
    return;
  }
  end_parts_where([](const connection&) { return true; });
  redispatch_where(actors::handler::front, [](const connection&) { return true; });
}

void loop_transport::redispatch(base::owner owner) {
  const auto waits = [owner](const connection& from) { return from.waits_for() == owner; };
  end_parts_where(waits);
  redispatch_where(actors::handler::owner, waits);
}

template <class Condition>
void loop_transport::end_parts_where(Condition&& condition) {
  for (const auto& each : slots_)
    if (each.held && each.held->streaming() && condition(*each.held)) each.held->end_now();
}

template <class Condition>
void loop_transport::redispatch_where(actors::handler dead, Condition&& condition) {
  for (const auto& each : slots_) {
    auto* held = each.held.get();
    if (held == nullptr || !held->waiting() || !condition(*held)) continue;
    if (held->retry(dead)) metrics_->redispatched.add();
  }
}

bool loop_transport::routed(actors::exchange_ref exchange, operation which, base::owner waits_for) {
  auto* from = current(exchange);
  return from == nullptr || from->routed(which, waits_for);
}

open_exchange loop_transport::find(actors::exchange_ref exchange) const {
  const auto* from = current(exchange);
  if (from == nullptr) return {};
  return {from->current_request(), from->current_operation(), from->waits_for()};
}

void loop_transport::answer(actors::exchange_ref exchange, response&& with) {
  if (auto* from = current(exchange)) from->answer(exchange, std::move(with));
}

// -- bodies in parts ----------------------------------------------------------

void loop_transport::send_part(connection& from, body_upload::part part, bool is_last) {
  if (front_)
    caf::anon_send(front_,
                   actors::body_part{from.current(), part.offset, std::move(part.bytes), is_last});
}

void loop_transport::grant(actors::exchange_ref exchange, std::size_t bytes) {
  if (auto* from = current(exchange)) from->grant(exchange, bytes);
}

void loop_transport::send_part(const actors::answer_part& part) {
  if (auto* to = current(part.exchange)) to->send_part(part.exchange, *part.bytes, part.is_last);
}

void loop_transport::tell_taken(connection& from, std::size_t bytes) {
  if (front_) caf::anon_send(front_, actors::answer_taken{from.current(), bytes});
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
  auto* held = slots_[index].held.get();
  // Another connection may have the slot by now, with the same generation until its first request.
  // That connection waits for no file, so it ignores the call.
  if (held != nullptr && held->generation() == generation) held->file_ready();
}

// -- the turn -----------------------------------------------------------------

void loop_transport::schedule_read(connection& which) {
  readable_.push(which.peer_lane(), which.slot());
  if (!std::exchange(reads_planned_, true)) loop_->after_events([this] { read_connections(); });
}

void loop_transport::read_connections() {
  reads_planned_ = false;
  const auto until = clock_->now() + read_turn_time;
  const auto most = std::min(readable_.size(), reads_per_turn);
  for (std::size_t i = 0; i < most; ++i) {
    if (i > 0 && i % steps_per_clock == 0 && clock_->now() >= until) break;
    if (auto* next = held_in(readable_.pop()->item)) next->read_now();
  }
  if (!readable_.is_empty() && !std::exchange(reads_planned_, true))
    loop_->after_events([this] { read_connections(); });
}

void loop_transport::schedule(connection& which) {
  scheduled_.push(which.peer_lane(), which.slot());
  plan_turn_end();
}

void loop_transport::closed(connection& which) {
  base::check(slots_[which.slot()].held.get() == &which, "a connection closes in its slot");
  if (std::exchange(slots_[which.slot()].in_share, false)) {
    bounds_->shares.leave(which.peer());
    shares_here_.leave(which.peer());
    if (!which.peer().is_v4()) bounds_->networks.leave(which.peer());
  }
  bounds_->connections.fetch_sub(1);
  // With the place, not with the memory: nobody shall see more than the limit.
  metrics_->connections.add(-1);
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
  const auto until = clock_->now() + write_turn_time;
  const auto most = scheduled_.size();
  for (std::size_t i = 0; i < most && turn_written_bytes_ < write_turn_bytes; ++i) {
    // The clock costs a hundredth of an answer, so it is asked only now and then.
    if (i > 0 && i % steps_per_clock == 0 && clock_->now() >= until) break;
    if (auto* next = held_in(scheduled_.pop()->item)) next->at_turn_end();
  }
  run_handshakes();
  if (!scheduled_.is_empty() || !handshakes_.is_empty()) plan_turn_end();
  if (!closed_slots_.empty()) {
    for (const auto index : closed_slots_) {
      auto& each = slots_[index];
      each.generation = each.held->generation();
      each.held.reset();
      free_slots_.push_back(index);
    }
    const auto gone = closed_slots_.size();
    closed_slots_.clear();
    live_.fetch_sub(gone, std::memory_order_relaxed);
    if (draining_ && connection_count() == 0) on_empty_();
  }
  if (closing_idle_)
    for (const auto& each : slots_)
      if (each.held) each.held->close_if_idle();
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

std::shared_ptr<admitted_request> loop_transport::acquire_request() {
  if (auto pooled = requests_.take()) return *std::move(pooled);
  return std::make_shared<admitted_request>();
}

void loop_transport::give_back(std::shared_ptr<admitted_request> used) {
  // An actor, or a message on its way, may still hold the request, which must not be changed then.
  if (used.use_count() != 1 || requests_.is_full()) return;
#ifdef __SANITIZE_THREAD__
  // ThreadSanitizer does not model fences. Copying the pointer is a read-modify-write of the use
  // count, which is ordered after that of every actor that released the request.
  const auto again = used;
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  used->recycle(pooled_buffer_limit_bytes);
  requests_.keep(std::move(used));
}

std::string loop_transport::take_buffer() {
  return buffers_.take().value_or(std::string{});
}

void loop_transport::give_back(std::string used) {
  if (used.capacity() > pooled_buffer_limit_bytes) return;
  used.clear();
  buffers_.keep(std::move(used));
}

void loop_transport::give_back(std::shared_ptr<const std::string> sent) {
  // Freeing ten megabytes takes the kernel a millisecond, so it is left to the pool. If the pool is
  // full, this loop frees the body.
  if (sent.use_count() == 1 && sent->size() > freed_here_bytes)
    pool_->submit([last = std::move(sent)] {});
}

// -- draining -----------------------------------------------------------------

void loop_transport::accept_silent() {
  for (const auto& listener : listeners_)
    listener->accept_silent();
}

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
  for (const auto& each : slots_)
    if (each.held) each.held->end_now();
}

} // namespace matchcloud::http
