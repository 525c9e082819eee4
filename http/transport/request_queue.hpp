#pragma once

#include "http/transport/exchange.hpp"
#include "http/transport/fair_queue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace matchcloud::http {

/// The requests of one event loop that its front has not taken, and how much of each client's work
/// is in service: taken by a front, a validator or a ranking, and not yet answered. Clients take
/// turns, and each client's work in service is bounded. So its requests wait here, where clients
/// take turns, and not in an actor's mailbox, where others would queue behind them. Requests that
/// wait for a disk or a database are not counted: they take no actor's time, and must not hold up
/// the client's other requests. A client is a `lane`; its payloads that take long have another one.
/// Loop thread only.
class request_queue {
public:
  /// What a lane may have in service, in units of `units_of`. Enough for a batch of small requests
  /// to be in the mailboxes at once, and for four that cost a loop 50 us or more.
  static constexpr std::uint32_t units_in_service_limit = 64;
  /// The most units that one request counts.
  static constexpr std::uint32_t units_limit = units_in_service_limit / 4;
  /// A request counts one unit, and one more for each `body_bytes_per_unit` of its body.
  static constexpr std::size_t body_bytes_per_unit = 512;
  /// A client may have 1/`client_part` of the requests in flight, taken or not, once half of the
  /// places are in use.
  static constexpr std::size_t client_part = 4;

  static constexpr std::uint32_t units_of(std::size_t body_bytes) noexcept {
    const auto units = 1 + body_bytes / body_bytes_per_unit;
    return units < units_limit ? static_cast<std::uint32_t>(units) : units_limit;
  }

  /// Counts one more request of the client. False, and not counted: with `open_now` requests open
  /// of at most `limit`, the client already has its part.
  bool enter(lane client, std::size_t open_now, std::size_t limit) noexcept {
    auto& open = open_[client];
    if (open_now > limit / 2 && open >= limit / client_part) return false;
    ++open;
    return true;
  }
  /// A counted request was answered, or its client is gone.
  void leave(lane client) noexcept { --open_[client]; }

  void push(lane client, dispatch request) { waiting_.push(client, std::move(request)); }
  void clear() { waiting_.clear(); }

  /// The next request, of a client that may have another in service. Call `begin_service` for it.
  std::optional<fair_queue<dispatch>::entry> take() { return waiting_.pop(); }
  /// `units` more of the client are in service. True: no more of its requests are taken for now.
  bool begin_service(lane client, std::uint32_t units) noexcept {
    auto& used = in_service_[client];
    used += units;
    if (used < units_in_service_limit) return false;
    waiting_.hold(client);
    return true;
  }
  /// Gives `units` back. True: a request can be taken that could not before.
  bool end_service(lane client, std::uint32_t units) noexcept {
    auto& used = in_service_[client];
    const bool was_held = used >= units_in_service_limit;
    used -= units;
    return was_held && used < units_in_service_limit && waiting_.release(client);
  }

private:
  fair_queue<dispatch> waiting_;
  std::array<std::uint32_t, lane_count> in_service_{};
  std::array<std::uint32_t, lane_count> open_{};
};

} // namespace matchcloud::http
