#include "http/transport/client_exchange.hpp"

#include "http/transport/exchange.hpp"

namespace matchcloud::http {

namespace {

using actors::handler;
using base::owner;

/// Whether an owner may have begun the operation, or may still begin it.
bool may_have_begun(handler had, owner waits_for) noexcept {
  // The message that a front sent to the owner before it died cannot be recalled.
  if (had == handler::front) return waits_for != owner::none;
  return had != handler::nobody;
}

/// Whether a request has a header in which a proxy may name its client.
bool names_client(const request& by) noexcept {
  return by.has(header::x_forwarded_for) || by.has(header::forwarded);
}

} // namespace

std::optional<base::error> exchange_state::begin_retry(const operation_row& row, actors::ticket& of,
                                                       handler dead) {
  const auto had = of.claimed_by.exchange(handler::nobody, std::memory_order_relaxed);
  if (!row.is_repeatable && may_have_begun(had, waits_for)) return outcome_unknown();
  if (had == dead && ++deaths > resend_limit) return failed_repeatedly();
  of.passed_faults.store(0, std::memory_order_relaxed);
  of.attempt.store(++attempt, std::memory_order_relaxed);
  waits_for = owner::none;
  return std::nullopt;
}

bool exchange_state::route(admitted_request& request, operation what, owner who,
                           const http::limits& limits, transport_metrics& metrics) noexcept {
  if (who != owner::none && !request.at_owner.held()) {
    const auto kept = limits.in_flight_limit / reserved_share;
    const bool is_cheap = row_of(what).cost == cost_class::cheap && who != owner::large_validator;
    const auto in_flight = metrics.in_flight.load(std::memory_order_relaxed);
    const bool is_refused =
        (is_cheap && in_flight > limits.in_flight_limit - kept) ||
        (request.caller.is_noisy && in_flight > limits.in_flight_limit / noisy_share);
    if (attempt == 1 && is_refused) {
      metrics.shed[index_of(who)].add();
      return false;
    }
    if (!request.at_owner.acquire(metrics.at_owner[index_of(who)], limits.mailbox(who))) {
      metrics.mailbox_full[index_of(who)].add();
      return false;
    }
  }
  operation_id = what;
  waits_for = who;
  return true;
}

// -- the exchange of a connection ---------------------------------------------

model::ip_address client_exchange::client(const model::ip_address& peer) const {
  // A request that was refused early does not know its client.
  if (request->peer == model::ip_address{}) return peer;
  if (!names_client(*request)) return request->peer;
  return host_->rules->client_of(*request, request->caller);
}

lane client_exchange::lane_of_client(const model::ip_address& peer, lane peer_lane) const {
  if (request->has(header::authorization))
    if (const auto key = host_->rules->token_key(*request, request->caller); key != 0)
      return lane_of(key);
  return names_client(*request) ? host_->lane_of(client(peer)) : peer_lane;
}

bool client_exchange::admit(const model::ip_address& peer, lane peer_lane) {
  client_lane_ = lane_of_client(peer, peer_lane);
  return is_admitted_ = host_->admit(*request, client_lane_);
}

bool client_exchange::routed(operation which, base::owner waits_at) {
  if (!route(*request, which, waits_at, host_->limits, host_->metrics)) return false;
  serve_at(waits_at);
  return true;
}

void client_exchange::begin_service(lane of, std::uint32_t units) {
  end_service();
  service_lane_ = of;
  units_in_service_ = units;
  host_->begin_service(of, units);
}

void client_exchange::end_service() {
  if (const auto units = std::exchange(units_in_service_, 0); units > 0)
    host_->end_service(service_lane_, units);
}

void client_exchange::serve_at(base::owner waits_at) {
  switch (waits_at) {
  case base::owner::none:
  case base::owner::validator:
  case base::owner::region_ranking: return;
  case base::owner::large_validator:
    if (units_in_service_ > 0) begin_service(long_lane_of(service_lane_), units_in_service_);
    return;
  default: return end_service();
  }
}

void client_exchange::log_access(const model::ip_address& peer, int status, std::uint64_t bytes,
                                 base::fault_point_set met) const {
  if (!host_->access->wants(status)) return;
  access_entry entry;
  entry.request = request.get();
  entry.client = client(peer);
  entry.token_id = request->caller.token_id;
  entry.operation = row_of(operation_id).name;
  entry.plane = plane_names[static_cast<std::size_t>(host_->bounds.serves)];
  entry.status = status;
  entry.bytes = bytes;
  entry.duration = host_->now() - begun;
  entry.faults = met | request->met_faults.load(std::memory_order_relaxed);
  // A URL may be signed, and an unmatched path may be a mistyped signed URL.
  entry.hides_query = operation_id == operation::unmatched || row_of(operation_id).hides_query;
  host_->access->add(entry);
}

void client_exchange::count(const model::ip_address& peer, int status, std::uint64_t bytes,
                            base::fault_point_set met) {
  if (host_->access != nullptr) log_access(peer, status, bytes, met);
  if (auto kept = host_->metrics.note_answer(*request, operation_id, status, begun, host_->now()))
      [[unlikely]]
    sent_ = std::move(kept);
  begun = {};
}

void client_exchange::release() {
  request->over.store(true, std::memory_order_relaxed);
  end_service();
  if (std::exchange(is_admitted_, false)) host_->leave(client_lane_);
  host_->give_back(std::exchange(request, nullptr));
  upload.reset();
}

} // namespace matchcloud::http
