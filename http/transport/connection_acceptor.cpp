#include "http/transport/connection_acceptor.hpp"

#include "base/check.hpp"
#include "base/events/log.hpp"
#include "base/faults.hpp"
#include "http/loop/faulty_stream.hpp"
#include "http/transport/exchange.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace matchcloud::http {

/// A listener of this loop. It pauses at the connection limit, when the process is out of
/// descriptors, and when a fault is injected; its timer resumes it.
class connection_acceptor::listening_socket final : public io_handler, public timer {
public:
  listening_socket(connection_acceptor& owner, base::file_descriptor socket, listener_kind kind)
      : owner_{&owner}, socket_{std::move(socket)}, kind_{kind} {
    owner_->loop.watch(socket_.get(), EPOLLIN, *this);
  }

  ~listening_socket() override { owner_->loop.unwatch(socket_.get()); }

  void on_events(std::uint32_t) override { accept_some(accepts_per_event); }

  void accept_silent() { accept_with_first_bytes(socket_.get(), false); }

  /// Accepts until the backlog is empty, `most` are accepted or, unless connections drain, the time
  /// is up; the event is then reported again.
  void accept_some(std::size_t most) {
    const auto until = owner_->clock_->now() + event_loop::turn_slice;
    for (std::size_t i = 0; i < most; ++i) {
      const bool looks = i > 0 && i % accepts_per_clock == 0 && !owner_->draining;
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
          owner_->evictor_.evict_idle();
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
    return is_trusted(peer, owner_->in_force.trust) ? preamble::trusted_proxy_header
                                                    : preamble::ignored_proxy_header;
  }

  enum class accept_decision : std::uint8_t { take, drop, wait };

  /// What fault injection does to the next connection. Where the connection waits, the listener is
  /// paused.
  accept_decision decide_next() {
    // While draining, faults are ignored: connections that still wait when the listener closes
    // would be reset. A pass of the fault point needs a connection that waits.
    if (owner_->draining || owner_->bounds.serves == plane::ops ||
        (base::faults::armed(base::fault_point::accept) && !has_input(socket_.get())))
      return accept_decision::take;
    const auto now = owner_->now();
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

  void pause() { pause_until(owner_->now() + accept_pause); }

  void pause_until(base::steady_time when) {
    owner_->loop.modify(socket_.get(), 0, *this);
    owner_->loop.timers().arm(*this, when);
  }

  void on_deadline() override { owner_->loop.modify(socket_.get(), EPOLLIN, *this); }

  connection_acceptor* owner_;
  base::file_descriptor socket_;
  listener_kind kind_;
  loop_pass pass_{base::fault_point::accept};
};

connection_acceptor::connection_acceptor(shared_bounds& of_all, event_loop& runs,
                                         transport_metrics& counts,
                                         std::shared_ptr<head_rules> judges,
                                         const base::clock& clock, std::uint64_t seed)
    : connection_host{of_all, runs, counts, std::move(judges)},
      clock_{&clock},
      ids_{seed},
      shares_here_{limits.ipv6_client_prefix} {
  bounds.acceptors.push_back(this);
}

connection_acceptor::~connection_acceptor() = default;

void connection_acceptor::listen(base::file_descriptor socket, listener_kind kind) {
  base::check(!kind.tls || tls_, "a listener with TLS has a context");
  listeners_.push_back(std::make_unique<listening_socket>(*this, std::move(socket), kind));
}

void connection_acceptor::adopt(base::file_descriptor socket, const model::ip_address& peer) {
  bounds.connections.fetch_add(1);
  prepare_client_socket(socket.get());
  open(std::move(socket), peer, preamble::none, false, false);
}

void connection_acceptor::accept_silent() {
  for (const auto& each : listeners_)
    each->accept_silent();
}

void connection_acceptor::empty_backlogs() {
  for (const auto& each : listeners_)
    each->accept_some(static_cast<std::size_t>(limits.listen_backlog));
}

void connection_acceptor::stop_listening() {
  listeners_.clear();
}

void connection_acceptor::admit_socket(base::file_descriptor socket, const model::ip_address& peer,
                                       preamble begins_with, bool speaks_tls) {
  // A trusted proxy connects for many clients, so it is in no share itself. A PROXY header names
  // the client (`on_client_named`).
  const bool in_share = !is_trusted(peer, in_force.trust);
  if (!in_share || count_in_share(peer))
    return open(std::move(socket), peer, begins_with, in_share, speaks_tls);
  // A client that speaks TLS would take a plain answer for an attack, so it gets none.
  if (!speaks_tls) refuse_socket(socket);
  release_connection();
}

void connection_acceptor::refuse_socket(const base::file_descriptor& socket) {
  const auto id = ids_.next();
  const auto answer = refusal(too_many_connections(), {id}, bounds.serves);
  std::string text;
  write_head(text, answer, {id, date(), false, false, bounds.serves == plane::ops});
  answer.append_body(text);
  // Sent with one call: a client with too many connections is not waited for. A request that has
  // arrived already is read, because closing with unread input would reset what was just sent.
  ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket.get(), SHUT_WR);
  auto& unread = read_buffer;
  ::recv(socket.get(), unread.data(), unread.size(), MSG_DONTWAIT);
}

void connection_acceptor::open(base::file_descriptor socket, const model::ip_address& peer,
                               preamble begins_with, bool in_share, bool speaks_tls) {
  auto& added = table_.add([&](std::uint32_t slot, std::uint32_t generation) {
    return std::make_unique<connection>(*this, std::make_unique<socket_stream>(std::move(socket)),
                                        peer, slot, generation, begins_with,
                                        speaks_tls ? tls_ : nullptr);
  });
  added.in_share = in_share;
  metrics.connections.add(1);
  metrics.connections_accepted.add();
  opened();
  added.start();
}

void connection_acceptor::free_place(connection& which) {
  if (std::exchange(which.in_share, false)) {
    bounds.shares.leave(which.peer());
    shares_here_.leave(which.peer());
    if (!which.peer().is_v4()) bounds.networks.leave(which.peer());
  }
  release_connection();
  // Decreases with the place, not with the memory, so that it never exceeds the limit.
  metrics.connections.add(-1);
}

// -- the limit of all ---------------------------------------------------------

bool connection_acceptor::is_near_connection_limit() const noexcept {
  return bounds.connections.load() + bounds.acceptors.size() > limits.connection_limit;
}

bool connection_acceptor::reserve_connection() {
  if (bounds.connections.fetch_add(1) < limits.connection_limit || evictor_.evict_idle())
    return true;
  release_connection();
  elsewhere([](connection_acceptor& other) { other.evictor_.evict_idle(); });
  return false;
}

template <class What>
void connection_acceptor::elsewhere(const What& what) {
  for (auto* other : bounds.acceptors)
    if (other != this) other->loop.post([other, what] { what(*other); });
}

// -- the limits of each client ------------------------------------------------

std::size_t connection_acceptor::most_per_address(const model::ip_address& client) const noexcept {
  if (bounds.serves == plane::ops || (client.is_loopback() && !limits.limits_loopback))
    return SIZE_MAX;
  return limits.connections_per_address;
}

bool connection_acceptor::count_in_share(const model::ip_address& client, const connection* but) {
  auto& all = bounds;
  const auto limit = limits.connection_limit;
  const auto most = most_per_address(client);
  if (all.shares.count_of(client) >= most ||
      (!client.is_v4() && all.networks.count_of(client) / shared_bounds::network_width >= most)) {
    metrics.connections_refused.add();
    return false;
  }
  const bool shared = all.connections.load() > limit / unshared_part;
  const auto share = std::max<std::size_t>(1, limit * limits.connection_share_percent / 100);
  if (!all.shares.enter(client, shared ? share : SIZE_MAX)) {
    if (!evictor_.evict_idle_of(client, but) && !evict_elsewhere(client, share)) {
      metrics.connections_refused.add();
      return false;
    }
    all.shares.enter(client, SIZE_MAX);
  }
  shares_here_.enter(client, SIZE_MAX);
  if (!client.is_v4()) all.networks.enter(client, SIZE_MAX);
  return true;
}

bool connection_acceptor::evict_elsewhere(const model::ip_address& client, std::size_t share) {
  const auto loops = bounds.acceptors.size();
  const auto part = std::max<std::size_t>(1, share / loops);
  if (loops == 1 || shares_here_.count_of(client) >= part) return false;
  elsewhere(
      [client](connection_acceptor& other) { other.evictor_.evict_idle_of(client, nullptr); });
  return true;
}

bool connection_acceptor::on_client_named(connection& which) {
  if (is_trusted(which.peer(), in_force.trust)) return true; // the proxy itself: a health check
  return which.in_share = count_in_share(which.peer(), &which);
}

// -- TLS ----------------------------------------------------------------------

void connection_acceptor::begin_handshake() {
  const auto most = std::max<std::size_t>(1, limits.tls_handshakes_limit /
                                                 std::max<std::size_t>(1, bounds.acceptors.size()));
  if (handshaking_ >= most) evictor_.evict_handshake();
  ++handshaking_;
  metrics.handshaking.add(1);
}

void connection_acceptor::end_handshake(handshake_end how) noexcept {
  --handshaking_;
  metrics.handshaking.add(-1);
  metrics.handshakes[static_cast<std::size_t>(how)].add();
}

void connection_acceptor::note_tls_failure(const connection& with, tls_failure_cause cause,
                                           std::string_view why) {
  const auto now = loop.now();
  auto& logged = tls_failure_logged_[static_cast<std::size_t>(cause)];
  if (logged != base::steady_time{} && now - logged < tls_failure_log_interval) return;
  logged = now;
  // An operator can fix the listener, but not what clients do in handshakes.
  const auto event = cause == tls_failure_cause::plain_listener ? base::log_event::tls_at_plain
                                                                : base::log_event::tls_failed;
  base::log(event, "tls: no TLS with {}: {}", model::to_string(with.peer()), why);
}

} // namespace matchcloud::http
