#include "http/transport/loop_transport.hpp"

#include "actors/validator/messages.hpp"

#include <caf/send.hpp>

#include <atomic>
#include <utility>

namespace matchcloud::http {

void loop_transport::begin_service(lane of, std::uint32_t units) {
  if (queue_.begin_service(of, units)) metrics.clients_held.add();
}

void loop_transport::end_service(lane of, std::uint32_t units) {
  if (queue_.end_service(of, units)) announce();
}

bool loop_transport::admit(admitted_request& which, lane client) {
  const auto most = limits.in_flight_limit;
  if (!which.permit.acquire(metrics.in_flight, most)) return false;
  // As with the other limits of addresses, this machine is exempt by default.
  const bool is_local = which.peer.is_loopback() && !which.through_proxy;
  const auto open =
      is_local && !limits.limits_loopback ? 0 : metrics.in_flight.load(std::memory_order_relaxed);
  if (queue_.enter(client, open, most)) return true;
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
    auto* from = table_.current(next->item.exchange);
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
  if (!is_first) return redispatch(actors::handler::front, std::nullopt);
  // Nothing was dispatched yet, so no attempt has failed.
  table_.for_each([this](connection& each) {
    if (each.waiting()) dispatch(each);
  });
}

void loop_transport::redispatch(base::owner owner) {
  redispatch(actors::handler::owner, owner);
}

void loop_transport::redispatch(actors::handler dead, std::optional<base::owner> owner) {
  const auto is_meant = [owner](const connection& from) {
    return !owner || from.waits_for() == owner;
  };
  table_.for_each([&](connection& each) {
    if (each.streaming() && is_meant(each)) each.end_now();
  });
  table_.for_each([&](connection& each) {
    if (each.waiting() && is_meant(each) && each.retry(dead)) metrics.redispatched.add();
  });
}

bool loop_transport::routed(actors::exchange_ref exchange, operation which, base::owner waits_for) {
  auto* from = table_.current(exchange);
  return from == nullptr || from->routed(which, waits_for);
}

open_exchange loop_transport::find(actors::exchange_ref exchange) const {
  const auto* from = table_.current(exchange);
  if (from == nullptr) return {};
  return {from->current_request(), from->current_operation(), from->waits_for()};
}

void loop_transport::answer(actors::exchange_ref exchange, response&& with) {
  if (auto* from = table_.current(exchange)) from->answer(exchange, std::move(with));
}

// -- bodies in parts ----------------------------------------------------------

void loop_transport::send_part(connection& from, body_upload::part part, bool is_last) {
  if (front_)
    caf::anon_send(front_,
                   actors::body_part{from.current(), part.offset, std::move(part.bytes), is_last});
}

void loop_transport::grant(actors::exchange_ref exchange, std::size_t bytes) {
  if (auto* from = table_.current(exchange)) from->grant(exchange, bytes);
}

void loop_transport::send_part(const actors::answer_part& part) {
  if (auto* to = table_.current(part.exchange))
    to->send_part(part.exchange, *part.bytes, part.is_last);
}

void loop_transport::tell_taken(connection& from, std::size_t bytes) {
  if (front_) caf::anon_send(front_, actors::answer_taken{from.current(), bytes});
}

} // namespace matchcloud::http
