#include "actors/request/fault_gate.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace matchcloud::actors {

namespace {

/// The interval between checks whether a stall is over.
constexpr std::chrono::milliseconds stall_look_interval{5};

} // namespace

fault_gate::outcome fault_gate::pass(base::fault_point at, const caf::strong_actor_ptr& from,
                                     const caf::message& what, const ticket_ptr& of) {
  const auto bit = base::bit_of(at);
  if (of && (of->passed_faults.load(std::memory_order_relaxed) & bit) != 0) return outcome::arrives;
  const auto hit = base::faults::strike(at, subject_of(of));
  note_hit(of, at, hit);
  crash_if(hit, at);
  if (hit && of) of->passed_faults.fetch_or(bit, std::memory_order_relaxed);
  switch (hit.kind) {
  case base::fault_kind::drop: return outcome::is_gone;
  case base::fault_kind::error: return outcome::fails;
  case base::fault_kind::delay:
  case base::fault_kind::stall:
    note_delay(of, at, hit);
    hold({caf::actor_cast<caf::actor>(self_), from, what, at, 0}, hit);
    return outcome::is_gone;
  default: return outcome::arrives;
  }
}

base::error injected_failure() {
  return {base::errc::unavailable, "A fault was injected into what answers this. Try again."};
}

void fault_gate::note_delay(const ticket_ptr& of, base::fault_point at, const base::fault& hit) {
  if (!of) return;
  const auto now = base::machine_clock().now();
  // How long it stalls is not known yet.
  of->trace.add(base::facts_of(at).name.data(), now, now + hit.delay, step_kind::fault);
}

void fault_gate::crash_if(const base::fault& hit, base::fault_point at) {
  if (hit.kind == base::fault_kind::crash)
    throw std::runtime_error{"fault injection at " + std::string{base::facts_of(at).name}};
}

void fault_gate::hold(held_message what, const base::fault& hit) {
  const bool stalls = hit.kind == base::fault_kind::stall;
  if (stalls) what.stalled_by = hit.rule;
  const auto wait = stalls ? std::chrono::microseconds{stall_look_interval} : hit.delay;
  self_->delayed_send(self_, wait, std::move(what));
}

void fault_gate::resume_held(const held_message& held) {
  if (held.stalled_by != 0 && base::faults::in_force(held.at, held.stalled_by)) {
    self_->delayed_send(self_, stall_look_interval, held);
    return;
  }
  if (!held.to) return send_late_news();
  pass_on(held);
}

void fault_gate::pass_on(const held_message& held) {
  if (auto* to = caf::actor_cast<caf::abstract_actor*>(held.to))
    to->enqueue(caf::make_mailbox_element(held.from, caf::make_message_id(), {}, held.what),
                self_->context());
}

void fault_gate::publish_late(const caf::actor& to, caf::message news,
                              std::chrono::microseconds delay) {
  const auto now = self_->clock().now();
  auto due = now + delay;
  if (!late_news_.empty()) due = std::max(due, late_news_.back().due);
  late_news_.push_back({{to, nullptr, std::move(news), points_.reply, 0}, due});
  if (late_news_.size() == 1) self_->delayed_send(self_, due - now, held_message{});
}

void fault_gate::send_late_news() {
  const auto now = self_->clock().now();
  do {
    pass_on(late_news_.front().what);
    late_news_.pop_front();
  } while (!late_news_.empty() && late_news_.front().due <= now);
  if (!late_news_.empty()) self_->delayed_send(self_, late_news_.front().due - now, held_message{});
}

} // namespace matchcloud::actors
