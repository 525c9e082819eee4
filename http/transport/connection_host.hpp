#pragma once

#include "base/byte_budget.hpp"
#include "http/access_log/access_lines.hpp"
#include "http/loop/event_loop.hpp"
#include "http/tls/tls_context.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/transport/fair_queue.hpp"
#include "http/transport/shared_bounds.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/response.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

class connection;

/// What a connection does when its turn comes: it reads, writes, or continues its TLS handshake.
enum class step : std::uint8_t { read, write, handshake };
inline constexpr std::size_t step_count = 3;

enum class tls_failure_cause : std::uint8_t { handshake_failed, plain_listener };

/// What the connections of one event loop share, and what they need from its transport. Loop thread
/// only.
class connection_host {
public:
  connection_host(shared_bounds& of_all, event_loop& runs, transport_metrics& counts,
                  std::shared_ptr<head_rules> judge)
      : bounds{of_all}, in_force{of_all}, loop{runs}, metrics{counts}, rules{std::move(judge)} {}
  virtual ~connection_host() = default;

  shared_bounds& bounds;
  /// The limits in force in this loop.
  plane_limits in_force;
  const http::limits& limits = in_force.limits;
  event_loop& loop;
  transport_metrics& metrics;
  std::shared_ptr<head_rules> rules;
  /// Null: there is no access log.
  access_lines* access = nullptr;
  /// Whether new answers must say `Connection: close`.
  bool draining = false;
  /// A scratch buffer for one read.
  std::vector<char> read_buffer = std::vector<char>(64UL * 1024);

  base::steady_time now() const noexcept { return loop.now(); }
  /// The `Date` of answers that are written now.
  virtual std::string_view date() = 0;

  /// Requests and buffers are pooled: between requests a connection has neither.
  virtual std::shared_ptr<admitted_request> acquire_request() = 0;
  virtual void give_back(std::shared_ptr<admitted_request> used) = 0;
  virtual std::string take_buffer() = 0;
  virtual void give_back(std::string used) = 0;
  /// A shared body that was sent, or will not be: its last holder has to free it.
  virtual void give_back(std::shared_ptr<const std::string> sent) = 0;

  /// Reports bytes that a connection wrote: the transport bounds the sum of one turn.
  virtual void wrote(std::size_t bytes) noexcept = 0;
  /// Reads a part of a file into memory and then calls `file_ready`. False: the part is in memory
  /// already or the pool is full, so send it now.
  virtual bool read_ahead(connection& which, const file_range& part) = 0;
  /// Calls `take_turn` once: to read, when it is the turn of the connection's peer, after the
  /// events; to write, when the current turn of the loop ends; to continue a handshake, at the end
  /// of this turn or a later one, because handshakes are expensive, so connections with requests go
  /// first.
  virtual void schedule(connection& which, step what) = 0;
  /// A connection was opened and is about to start.
  virtual void opened() = 0;
  /// The connection is closed: it gets no more calls and is destroyed at the end of the turn.
  virtual void closed(connection& which) = 0;

  // -- exchanges --------------------------------------------------------------

  virtual void assign_id(request& to) = 0;
  /// The lane that a client address waits in.
  lane lane_of(const model::ip_address& client) const noexcept {
    return http::lane_of(bounds.lane_key, prefix_of(client, limits.ipv6_client_prefix).bytes);
  }
  /// Takes a permit for the request of a client. False: too many requests are in flight, or too
  /// many of these are the client's.
  virtual bool admit(admitted_request& which, lane client) = 0;
  /// An admitted request was answered, or will not be.
  virtual void leave(lane client) noexcept = 0;
  /// Adds to and subtracts from what a lane has in service.
  virtual void begin_service(lane of, std::uint32_t units) = 0;
  virtual void end_service(lane of, std::uint32_t units) = 0;
  /// Sends the connection's exchange to the front. While there is no front, its successor gets it.
  virtual void dispatch(connection& from) = 0;
  /// Sends the front a part of a streamed body.
  virtual void send_part(connection& from, body_upload::part part, bool is_last) = 0;
  /// Tells the front that the client took `bytes` of an answer that is sent in parts.
  virtual void tell_taken(connection& from, std::size_t bytes) = 0;

  // -- its place among others -------------------------------------------------

  /// A PROXY header named the client, which is now `peer()`. False: the client has too many
  /// connections.
  virtual bool on_client_named(connection& which) = 0;
  /// Makes room in the budget for `bytes` by closing connections whose clients receive nothing,
  /// longest stalled first, never `but`. False: there are no more such connections.
  virtual bool make_room(std::size_t bytes, const connection& but) = 0;
  /// Grows a lease of connection `of` to `bytes`, if needed by making room.
  bool lease(base::byte_lease& what, std::size_t bytes, const connection& of) {
    if (what.grow_to(bounds.budget, bytes)) return true;
    return make_room(bytes - what.bytes(), of) && what.grow_to(bounds.budget, bytes);
  }
  /// A TLS handshake begins. At the limit, the one of this loop that has been in progress longest
  /// ends.
  virtual void begin_handshake() = 0;
  virtual void end_handshake(handshake_end how) noexcept = 0;
  /// Whether client certificates that `by` accepted are still trusted.
  virtual bool trusts_clients_of(const tls_context& by) const noexcept = 0;
  /// Logs why there is no TLS with a client, with a limit on the lines per cause.
  virtual void note_tls_failure(const connection& with, tls_failure_cause cause,
                                std::string_view why) = 0;
};

} // namespace matchcloud::http
