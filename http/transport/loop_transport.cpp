#include "http/transport/loop_transport.hpp"

#include "actors/validator/messages.hpp"
#include "base/free_memory.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace matchcloud::http {

loop_transport::loop_transport(event_loop& runs, const base::clock& clock,
                               base::blocking_pool& pool, shared_bounds& of_all,
                               std::shared_ptr<head_rules> judges, transport_metrics& counts,
                               std::uint64_t seed, std::function<void()> on_empty)
    : connection_acceptor{of_all, runs, counts, std::move(judges), clock, seed},
      pool_{&pool},
      on_empty_{std::move(on_empty)} {}

void loop_transport::log_access(std::shared_ptr<access_log> to,
                                const access_log_settings& settings) {
  const bool is_on = to && settings.mode != access_log_mode::off;
  // The old lines are passed on first.
  access_lines_.reset();
  if (is_on) access_lines_ = std::make_unique<access_lines>(std::move(to), settings, loop, *clock_);
  access = access_lines_.get();
}

void loop_transport::opened() {
  most_live_ = std::max(most_live_, connection_count());
  if (!armed()) loop.timers().arm(*this, now() + tidy_interval);
}

void loop_transport::closed(connection& which) {
  free_place(which);
  table_.note_closed(which);
  plan_turn_end();
}

// -- the turn -----------------------------------------------------------------

void loop_transport::schedule(connection& which, step what) {
  queue_of(what).push(which.peer_lane(), which.slot());
  if (what == step::read)
    plan_reads();
  else
    plan_turn_end();
}

void loop_transport::take_turns(step what, std::size_t most) {
  // Reading the clock costs a hundredth of an answer, so it is read only now and then, but after
  // each handshake. Handshakes that are scheduled again continue at the end of the next turn.
  const bool is_handshake = what == step::handshake;
  const auto until = (is_handshake ? clock_->now() : now()) + event_loop::turn_slice;
  turn_written_bytes_ = 0;
  auto& queue = queue_of(what);
  most = std::min(most, queue.size());
  for (std::size_t i = 0; i < most && turn_written_bytes_ < write_turn_bytes; ++i) {
    const bool looks = i > 0 && (is_handshake || i % steps_per_clock == 0);
    if (looks && clock_->now() >= until) break;
    if (auto* next = table_.in(queue.pop()->item)) next->take_turn(what);
  }
}

void loop_transport::plan_reads() {
  if (std::exchange(reads_planned_, true)) return;
  loop.after_events([this] {
    reads_planned_ = false;
    take_turns(step::read, reads_per_turn);
    if (!queue_of(step::read).is_empty()) plan_reads();
  });
}

void loop_transport::plan_turn_end() {
  if (std::exchange(turn_end_planned_, true)) return;
  loop.at_turn_end([this] { finish_turn(); });
}

void loop_transport::finish_turn() {
  turn_end_planned_ = false;
  for (const auto what : {step::write, step::handshake})
    if (!queue_of(what).is_empty()) {
      take_turns(what);
      if (!queue_of(what).is_empty()) plan_turn_end();
    }
  if (table_.drop_closed() && draining && connection_count() == 0) on_empty_();
  if (closing_idle_) table_.for_each([](connection& each) { each.close_if_idle(); });
}

std::string_view loop_transport::date() {
  if (now() - date_checked_ > std::chrono::milliseconds{100}) {
    date_checked_ = now();
    const auto second = clock_->unix_ms() / 1'000;
    if (std::exchange(date_second_, second) != second) date_ = http_date(second);
  }
  return date_;
}

// -- files --------------------------------------------------------------------

bool loop_transport::read_ahead(connection& which, const file_range& part) {
  if (part.file->is_resident(part.offset, part.length)) return false;
  return pool_->submit([this, part, index = which.slot(), generation = which.generation()] {
    part.file->read_ahead(part.offset, part.length);
    loop.post([this, index, generation] {
      auto* held = table_.in(index);
      // Another connection may have the slot by now, with the same generation until its first
      // request. That connection waits for no file, so it ignores the call.
      if (held != nullptr && held->generation() == generation) held->file_ready();
    });
  });
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

void loop_transport::on_deadline() {
  const auto dropped = requests_.drop_unused() + buffers_.drop_unused();
  const auto live = connection_count();
  const auto most_live = std::exchange(most_live_, live);
  auto& budget = bounds.budget;
  if (budget.take_peak() >= budget.used_bytes() + returned_least_bytes ||
      most_live >= live + returned_least_connections || dropped >= returned_least_pooled)
    pool_->submit([] { base::trim_heaps(); });
  if (live > 0 || !requests_.is_empty() || !buffers_.is_empty())
    loop.timers().arm(*this, now() + tidy_interval);
}

// -- exchanges ----------------------------------------------------------------

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
  table_.for_each([&](connection& each) {
    if (owner && each.waits_for() != owner) return;
    if (each.streaming()) each.end_now();
    if (each.waiting() && each.retry(dead)) metrics.redispatched.add();
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
  if (auto* from = table_.current(exchange)) from->answer(std::move(with));
}

// -- bodies in parts ----------------------------------------------------------

void loop_transport::send_part(connection& from, body_upload::part part, bool is_last) {
  if (front_)
    caf::anon_send(front_,
                   actors::body_part{from.current(), part.offset, std::move(part.bytes), is_last});
}

void loop_transport::grant(actors::exchange_ref exchange, std::size_t bytes) {
  if (auto* from = table_.current(exchange)) from->grant(bytes);
}

void loop_transport::send_part(const actors::answer_part& part) {
  if (auto* to = table_.current(part.exchange)) to->send_part(*part.bytes, part.is_last);
}

void loop_transport::tell_taken(connection& from, std::size_t bytes) {
  if (front_) caf::anon_send(front_, actors::answer_taken{from.current(), bytes});
}

// -- draining -----------------------------------------------------------------

void loop_transport::begin_drain() {
  draining = true;
  empty_backlogs();
  stop_listening();
  if (connection_count() == 0) on_empty_();
}

void loop_transport::hand_over() {
  stop_listening();
  begin_drain();
}

void loop_transport::close_idle() {
  closing_idle_ = true;
  plan_turn_end();
}

void loop_transport::end_now() {
  table_.for_each([](connection& each) { each.end_now(); });
}

} // namespace matchcloud::http
