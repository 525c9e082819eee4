#include "http/transport/loop_exchanges.hpp"

#include "actors/validator/messages.hpp"

#include <caf/send.hpp>

#include <atomic>
#include <utility>

namespace matchcloud::http {

loop_exchanges::loop_exchanges(connection_host& host, const connection_table& among,
                               std::shared_ptr<const head_rules> rules,
                               request_id_source& ids) noexcept
    : host_{&host}, among_{&among}, rules_{std::move(rules)}, ids_{&ids} {}

lane loop_exchanges::lane_of(const model::ip_address& client) const noexcept {
  return http::lane_of(host_->bounds.lane_key,
                       prefix_of(client, host_->limits.ipv6_client_prefix).bytes);
}

lane loop_exchanges::lane_of(const request& which, lane by_peer) const {
  if (which.has(header::authorization))
    if (const auto key = rules_->token_key(which); key != 0) return http::lane_of(key);
  if (!which.has(header::x_forwarded_for) && !which.has(header::forwarded)) return by_peer;
  return lane_of(rules_->client_of(which));
}

model::ip_address loop_exchanges::client_of(const request& which) const {
  if (!which.has(header::x_forwarded_for) && !which.has(header::forwarded)) return which.peer;
  return rules_->client_of(which);
}

bool loop_exchanges::admit(admitted_request& which, lane client) {
  const auto limit = host_->limits.in_flight_limit;
  if (!which.permit.acquire(host_->metrics.in_flight, limit)) return false;
  // As with the other limits of addresses, this machine is exempt by default.
  const bool is_local = which.peer.is_loopback() && !which.through_proxy;
  const auto open = is_local && !host_->limits.limits_loopback
                        ? 0
                        : host_->metrics.in_flight.load(std::memory_order_relaxed);
  if (queue_.enter(client, open, limit)) return true;
  which.permit.reset();
  return false;
}

void loop_exchanges::dispatch(connection& from) {
  if (!front_) return;
  const auto& request = from.current_request();
  const bool is_long = request->body.size() > actors::large_body_bytes;
  queue_.push(is_long ? long_lane_of(from.client_lane()) : from.client_lane(),
              {from.current(), request});
  announce();
}

void loop_exchanges::announce() {
  if (front_ && !std::exchange(announced_, true)) caf::anon_send(front_, requests_wait{});
}

std::optional<http::dispatch> loop_exchanges::take_waiting() {
  while (auto next = queue_.take()) {
    auto* from = among_->current(next->item.exchange);
    if (from == nullptr) continue; // its client is gone, or it was answered
    from->begin_service(next->from, request_queue::units_of(next->item.request->body.size()));
    return std::move(next->item);
  }
  announced_ = false;
  return std::nullopt;
}

void loop_exchanges::attach(caf::actor front) {
  const bool is_first = !front_;
  front_ = std::move(front);
  queue_.clear();
  announced_ = false;
  if (!is_first) return redispatch(actors::handler::front, std::nullopt);
  // Nothing was dispatched yet, so no attempt has failed.
  among_->for_each([this](connection& each) {
    if (each.waiting()) dispatch(each);
  });
}

void loop_exchanges::redispatch(base::owner owner) {
  redispatch(actors::handler::owner, owner);
}

void loop_exchanges::redispatch(actors::handler dead, std::optional<base::owner> owner) {
  const auto is_meant = [owner](const connection& from) {
    return !owner || from.waits_for() == owner;
  };
  among_->for_each([&](connection& each) {
    if (each.streaming() && is_meant(each)) each.end_now();
  });
  among_->for_each([&](connection& each) {
    if (each.waiting() && is_meant(each) && each.retry(dead)) host_->metrics.redispatched.add();
  });
}

bool loop_exchanges::routed(actors::exchange_ref exchange, operation which, base::owner waits_for) {
  auto* from = among_->current(exchange);
  return from == nullptr || from->routed(which, waits_for);
}

open_exchange loop_exchanges::find(actors::exchange_ref exchange) const {
  const auto* from = among_->current(exchange);
  if (from == nullptr) return {};
  return {from->current_request(), from->current_operation(), from->waits_for()};
}

void loop_exchanges::answer(actors::exchange_ref exchange, response&& with) {
  if (auto* from = among_->current(exchange)) from->answer(exchange, std::move(with));
}

// -- bodies in parts ----------------------------------------------------------

void loop_exchanges::send_part(connection& from, body_upload::part part, bool is_last) {
  if (front_)
    caf::anon_send(front_,
                   actors::body_part{from.current(), part.offset, std::move(part.bytes), is_last});
}

void loop_exchanges::grant(actors::exchange_ref exchange, std::size_t bytes) {
  if (auto* from = among_->current(exchange)) from->grant(exchange, bytes);
}

void loop_exchanges::send_part(const actors::answer_part& part) {
  if (auto* to = among_->current(part.exchange))
    to->send_part(part.exchange, *part.bytes, part.is_last);
}

void loop_exchanges::tell_taken(connection& from, std::size_t bytes) {
  if (front_) caf::anon_send(front_, actors::answer_taken{from.current(), bytes});
}

} // namespace matchcloud::http
