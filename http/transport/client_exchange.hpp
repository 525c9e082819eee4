#pragma once

#include "actors/request/messages.hpp"
#include "http/transport/connection_host.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace matchcloud::http {

/// How often an exchange is retried if the actor that had claimed it died: a request that kills its
/// handler must not do so forever. An exchange that only waited is retried each time.
inline constexpr std::uint32_t resend_limit = 2;

/// The state of one exchange that all transports share. One thread, or guarded by the transport.
struct exchange_state {
  /// Names the current attempt in messages.
  std::uint32_t attempt = 1;
  /// Actors that died while they had claimed the exchange.
  std::uint32_t deaths = 0;
  operation operation_id = operation::unmatched;
  base::owner waits_for = base::owner::none;

  /// Notes the operation and its owner, in whose mailbox the request takes a place. False, and
  /// nothing noted, if the mailbox is full, if the operation is cheap and only the reserved share
  /// is left, or if the client is noisy and the share for noisy clients is used up. Shares are
  /// checked for first attempts only, and a request that holds a place keeps it.
  bool route(admitted_request& request, operation what, base::owner who, const http::limits& limits,
             transport_metrics& metrics) noexcept;

  /// Begins a further attempt, because `dead` died; returns nothing. Or returns the error to answer
  /// with: too many actors died of this exchange, or the operation `row` is not repeatable and may
  /// have been done already.
  std::optional<base::error> begin_retry(const operation_row& row, actors::ticket& of,
                                         actors::handler dead);
};

/// 1/`reserved_share` of `in_flight_limit` is reserved for requests that cost more to repeat than a
/// listing, an image or a small payload.
inline constexpr std::size_t reserved_share = 8;

/// Clients that have used up half of a rate limit are refused above 1/`noisy_share` of
/// `in_flight_limit`, so that an overload sheds the noisy ones first.
inline constexpr std::size_t noisy_share = 4;

/// Time from the complete request to its answer. Before routing, the operation is `unmatched`.
inline std::chrono::milliseconds answer_timeout(const http::limits& limits,
                                                operation which) noexcept {
  return limits.*row_of(which).deadline;
}

/// The exchange of a connection: its request, from the first byte to the answer, the body by
/// credit, its client's place in the queue and in service, and what is counted at its end. One at
/// a time; `release` ends it. Loop thread only.
class client_exchange final : public exchange_state {
public:
  explicit client_exchange(connection_host& host) noexcept : host_{&host} {}

  /// Null between requests.
  request_ptr request;
  /// The body, where it is streamed.
  std::unique_ptr<body_upload> upload;
  /// When the request being received began, or when the last bytes of the one that waits for its
  /// answer could be read.
  base::steady_time begun;

  /// Takes a request from the pool, unless there is one.
  void need_request() {
    if (!request) request = host_->acquire_request();
  }
  /// Gives back a request of which nothing has arrived.
  void drop_request() {
    if (request) host_->give_back(std::exchange(request, nullptr));
  }
  /// The request is complete, or its head is and its body is streamed: its first attempt begins.
  void begin() noexcept { static_cast<exchange_state&>(*this) = {}; }
  /// No byte of a streamed body is missing.
  bool is_received() const noexcept { return !upload || upload->is_whole(); }

  /// The client of the request: the one that a trusted proxy names, or its peer. `peer`: that of
  /// the connection.
  model::ip_address client(const model::ip_address& peer) const;
  /// Takes a permit for the request, and a place in the lane of its client: that of its token, of
  /// the address if a proxy names one, or of the peer. False: there is none.
  bool admit(const model::ip_address& peer, lane peer_lane);
  lane client_lane() const noexcept { return client_lane_; }

  /// See `connection`.
  bool routed(operation which, base::owner waits_at);
  void begin_service(lane of, std::uint32_t units);
  /// The exchange no longer counts as in service for its client's share.
  void end_service();

  /// Counts the end of a request: its answer, or that its client is gone. `met`: the faults that
  /// its connection met.
  void count(const model::ip_address& peer, int status, std::uint64_t bytes,
             base::fault_point_set met);
  /// The exchange is over: its request goes back to the pool.
  void release();
  /// The bytes of the last counted answer are sent.
  void note_sent() {
    if (sent_) [[unlikely]]
      std::exchange(sent_, nullptr)->store(host_->now());
  }

private:
  lane lane_of_client(const model::ip_address& peer, lane peer_lane) const;
  /// The exchange waits at an owner from now on: counts it there, or not at all.
  void serve_at(base::owner waits_at);
  void log_access(const model::ip_address& peer, int status, std::uint64_t bytes,
                  base::fault_point_set met) const;

  connection_host* host_;
  std::uint32_t units_in_service_ = 0;
  lane client_lane_ = 0;
  lane service_lane_ = 0;
  /// Counted among the open requests of its client.
  bool is_admitted_ = false;
  /// Where to note the time when the unsent bytes are sent; usually null.
  actors::sent_mark sent_;
};

} // namespace matchcloud::http
