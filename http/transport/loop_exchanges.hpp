#pragma once

#include "http/transport/connection_table.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/request_id.hpp"
#include "http/transport/request_queue.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace matchcloud::http {

/// The exchanges of one event loop, between its connections and its front: queues requests until
/// their clients' turn, and finds the connection of each reply. Each connection keeps the state and
/// the deadlines of its own exchange. Loop thread only.
class loop_exchanges final : public exchange_sink, public exchange_host {
public:
  /// The parameters outlive every message that holds a request; `rules` as for `loop_transport`.
  loop_exchanges(connection_host& host, const connection_table& among,
                 std::shared_ptr<const head_rules> rules, request_id_source& ids) noexcept;

  // -- exchange_sink ----------------------------------------------------------

  void attach(caf::actor front) override;
  std::optional<http::dispatch> take_waiting() override;
  bool routed(actors::exchange_ref exchange, operation which, base::owner waits_for) override;
  open_exchange find(actors::exchange_ref exchange) const override;
  void answer(actors::exchange_ref exchange, response&& with) override;
  void grant(actors::exchange_ref exchange, std::size_t bytes) override;
  void send_part(const actors::answer_part& part) override;
  void redispatch(base::owner owner) override;

  // -- exchange_host ----------------------------------------------------------

  void assign_id(request& to) override { ids_->assign(to); }
  lane lane_of(const model::ip_address& client) const noexcept override;
  lane lane_of(const request& which, lane by_peer) const override;
  model::ip_address client_of(const request& which) const override;
  head_verdict judge(const request& head, std::uint64_t length) const override {
    return rules_->judge(head, length);
  }
  bool admit(admitted_request& which, lane client) override;
  void leave(lane client) noexcept override { queue_.leave(client); }
  void begin_service(lane of, std::uint32_t units) override {
    if (queue_.begin_service(of, units)) host_->metrics.clients_held.add();
  }
  void end_service(lane of, std::uint32_t units) override {
    if (queue_.end_service(of, units)) announce();
  }
  void dispatch(connection& from) override;
  void send_part(connection& from, body_upload::part part, bool is_last) override;
  void tell_taken(connection& from, std::size_t bytes) override;

private:
  void announce();
  /// Dispatches the exchanges that wait for `owner`, or all, again, because `dead` died. Ends the
  /// exchanges whose answer is sent in parts: parts may be lost, so their clients retry.
  void redispatch(actors::handler dead, std::optional<base::owner> owner);

  connection_host* host_;
  const connection_table* among_;
  std::shared_ptr<const head_rules> rules_;
  request_id_source* ids_;
  caf::actor front_;
  request_queue queue_;
  /// The front was told that requests wait, and has not found the queue empty since.
  bool announced_ = false;
};

} // namespace matchcloud::http
