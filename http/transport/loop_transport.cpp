#include "http/transport/loop_transport.hpp"

#include "base/free_memory.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace matchcloud::http {

loop_transport::loop_transport(event_loop& runs, const base::clock& clock,
                               base::blocking_pool& pool, shared_bounds& of_all,
                               std::shared_ptr<const head_rules> judges, transport_metrics& counts,
                               std::uint64_t seed, std::function<void()> on_empty)
    : connection_host{of_all, runs, counts, std::move(judges)},
      clock_{&clock},
      pool_{&pool},
      on_empty_{std::move(on_empty)},
      ids_{seed},
      acceptor_{*this, table_, ids_, clock} {}

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
  acceptor_.leave(which);
  table_.note_closed(which);
  plan_turn_end();
}

// -- the turn -----------------------------------------------------------------

void loop_transport::schedule_read(connection& which) {
  readable_.push(which.peer_lane(), which.slot());
  if (!std::exchange(reads_planned_, true)) loop.after_events([this] { read_connections(); });
}

void loop_transport::read_connections() {
  reads_planned_ = false;
  const auto until = now() + event_loop::turn_slice;
  const auto most = std::min(readable_.size(), reads_per_turn);
  for (std::size_t i = 0; i < most; ++i) {
    if (i > 0 && i % steps_per_clock == 0 && clock_->now() >= until) break;
    if (auto* next = table_.in(readable_.pop()->item)) next->read_now();
  }
  if (!readable_.is_empty() && !std::exchange(reads_planned_, true))
    loop.after_events([this] { read_connections(); });
}

void loop_transport::schedule(connection& which) {
  scheduled_.push(which.peer_lane(), which.slot());
  plan_turn_end();
}

void loop_transport::schedule_handshake(connection& which) {
  handshakes_.push(which.peer_lane(), which.slot());
  plan_turn_end();
}

void loop_transport::plan_turn_end() {
  if (std::exchange(turn_end_planned_, true)) return;
  loop.at_turn_end([this] { finish_turn(); });
}

void loop_transport::finish_turn() {
  turn_end_planned_ = false;
  turn_written_bytes_ = 0;
  const auto until = now() + event_loop::turn_slice;
  const auto most = scheduled_.size();
  for (std::size_t i = 0; i < most && turn_written_bytes_ < write_turn_bytes; ++i) {
    // Reading the clock costs a hundredth of an answer, so it is read only now and then.
    if (i > 0 && i % steps_per_clock == 0 && clock_->now() >= until) break;
    if (auto* next = table_.in(scheduled_.pop()->item)) next->at_turn_end();
  }
  if (!handshakes_.is_empty()) run_handshakes();
  if (!scheduled_.is_empty() || !handshakes_.is_empty()) plan_turn_end();
  if (table_.drop_closed() && draining && connection_count() == 0) on_empty_();
  if (closing_idle_) table_.for_each([](connection& each) { each.close_if_idle(); });
}

void loop_transport::run_handshakes() {
  // Handshakes that are scheduled again in this loop continue at the end of the next turn.
  auto left = handshakes_.size();
  const auto until = clock_->now() + event_loop::turn_slice;
  for (bool first = true; left > 0 && (first || clock_->now() < until); --left, first = false)
    if (auto* next = table_.in(handshakes_.pop()->item)) next->shake_hands();
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

// -- draining -----------------------------------------------------------------

void loop_transport::begin_drain() {
  draining = true;
  acceptor_.empty_backlogs();
  acceptor_.stop_listening();
  if (connection_count() == 0) on_empty_();
}

void loop_transport::hand_over() {
  acceptor_.stop_listening();
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
