#pragma once

#include "base/files/file_descriptor.hpp"
#include "http/transport/connection_host.hpp"
#include "http/transport/connection_table.hpp"
#include "http/transport/listener.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// The half of a transport that decides which connections one event loop has: owns its listeners,
/// opens connections up to the limits of each client and of all, closing others in their favour if
/// needed, and bounds TLS handshakes. Loop thread only.
class connection_acceptor : public connection_host {
public:
  /// Interval at which a paused listener tries to accept again.
  static constexpr std::chrono::milliseconds accept_pause{50};
  static constexpr std::size_t accepts_per_event = 64;
  /// How many connections are accepted between two looks at the clock, and at least in a turn.
  static constexpr std::size_t accepts_per_clock = 8;
  /// The least time between two lines of the log about clients without TLS, for each cause. The
  /// metrics count all.
  static constexpr std::chrono::seconds tls_failure_log_interval{10};
  /// Connection shares apply once more than 1/`unshared_part` of `connection_limit` is in use.
  static constexpr std::size_t unshared_part = 2;

  /// `seed` makes request ids unique.
  connection_acceptor(shared_bounds& of_all, event_loop& runs, transport_metrics& counts,
                      std::shared_ptr<head_rules> judges, const base::clock& clock,
                      std::uint64_t seed);
  ~connection_acceptor() override;

  /// Sets the TLS context of connections that begin from now on; open ones keep theirs. Before the
  /// first call there are no listeners with TLS.
  void set_tls(std::shared_ptr<tls_context> context) { tls_ = std::move(context); }
  /// Takes over a listening socket.
  void listen(base::file_descriptor socket, listener_kind kind = {});
  /// Takes over a connected, non-blocking stream socket, as if a listener had accepted it. The
  /// connection limit is not checked: that is up to the caller.
  void adopt(base::file_descriptor socket, const model::ip_address& peer);
  /// See `loop_transport`.
  void accept_silent();
  /// Accepts what waits in the backlogs.
  void empty_backlogs();
  /// Closes the listeners: the clients in their backlogs are reset, unless another process or loop
  /// shares the sockets.
  void stop_listening();

  bool on_client_named(connection& which) override;
  bool make_room(std::size_t bytes, const connection& but) override {
    return evictor_.make_room(bytes, but);
  }
  void begin_handshake() override;
  void end_handshake(handshake_end how) noexcept override;
  bool trusts_clients_of(const tls_context& by) const noexcept override {
    return &by == tls_.get() || by.trusts_as(*tls_);
  }
  void note_tls_failure(const connection& with, tls_failure_cause cause,
                        std::string_view why) override;

protected:
  /// A connection is closed: its place is free.
  void free_place(connection& which);

  const base::clock* clock_;
  request_id_source ids_;
  connection_table table_;

private:
  class listening_socket;

  /// Whether the connection limit is reached, or would be if each loop reserved a connection at
  /// once. Reserving one may close an idle connection, so a client must be waiting then.
  bool is_near_connection_limit() const noexcept;
  /// Reserves a connection; at the limit, by closing an idle one of this loop. False: none of this
  /// loop is idle. The other loops then look among theirs, so a later call may succeed.
  bool reserve_connection();
  void release_connection() noexcept { bounds.connections.fetch_sub(1); }
  /// Turns an accepted socket, with its reserved connection, into a connection, or turns it away if
  /// its client has too many.
  void admit_socket(base::file_descriptor socket, const model::ip_address& peer,
                    preamble begins_with, bool speaks_tls);
  void refuse_socket(const base::file_descriptor& socket);
  /// The connections that a client address may hold even while few are in use.
  std::size_t most_per_address(const model::ip_address& client) const noexcept;
  /// Counts one more connection of `client`. If its share is used up, the connection replaces an
  /// idle one, which is closed in this loop or another. False, and not counted: none is idle. `but`
  /// is the connection to be counted if it is open already; it is never closed.
  bool count_in_share(const model::ip_address& client, const connection* but = nullptr);
  /// Makes each other loop close an idle connection of `client`, because the kernel may have given
  /// them its whole share. False, and nothing is closed: there is no other loop, or this one
  /// already has its part of the share.
  bool evict_elsewhere(const model::ip_address& client, std::size_t share);
  /// Runs `what` for the acceptor of each other loop, on its thread.
  template <class What>
  void elsewhere(const What& what);
  void open(base::file_descriptor socket, const model::ip_address& peer, preamble begins_with,
            bool in_share, bool speaks_tls);

  connection_evictor evictor_{*this, table_};
  std::vector<std::unique_ptr<listening_socket>> listeners_;
  /// This loop's part of `shared_bounds::shares`.
  connection_shares shares_here_;
  std::shared_ptr<tls_context> tls_;
  /// TLS handshakes in progress.
  std::size_t handshaking_ = 0;
  /// When a client without TLS was last logged, by cause.
  std::array<base::steady_time, 2> tls_failure_logged_{};
};

} // namespace matchcloud::http
