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
/// The interval between checks whether a delay has been ended early.
constexpr std::chrono::milliseconds delay_look_interval{50};

using actor_time = caf::actor_clock::time_point;

actor_time::duration until_next_look(actor_time::duration left) {
  return std::min<actor_time::duration>(left, delay_look_interval);
}

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
    hold({caf::actor_cast<caf::actor>(self_), from, what, at}, hit);
    return outcome::is_gone;
  default: return outcome::arrives;
  }
}

base::error injected_failure() {
  return {base::errc::unavailable,
          "A fault was injected into the handling of this request. Retry."};
}

void fault_gate::note_delay(const ticket_ptr& of, base::fault_point at, const base::fault& hit) {
  if (!of) return;
  const auto now = base::machine_clock().now();
  // The length of a stall is not known yet.
  of->trace.add(base::facts_of(at).name.data(), now, now + hit.delay, step_kind::fault);
}

void fault_gate::crash_if(const base::fault& hit, base::fault_point at) {
  if (hit.kind == base::fault_kind::crash)
    throw std::runtime_error{"fault injection at " + std::string{base::facts_of(at).name}};
}

void fault_gate::hold(held_message what, const base::fault& hit) {
  what.rule = hit.rule;
  if (hit.kind == base::fault_kind::stall)
    return self_->delayed_send(self_, stall_look_interval, std::move(what));
  what.due = self_->clock().now() + hit.delay;
  self_->delayed_send(self_, until_next_look(hit.delay), std::move(what));
}

void fault_gate::resume_held(const held_message& held) {
  if (!held.to) return send_late_news();
  if (!base::faults::in_force(held.at, held.rule)) return pass_on(held);
  if (held.due == actor_time::max()) return self_->delayed_send(self_, stall_look_interval, held);
  const auto left = held.due - self_->clock().now();
  if (left.count() > 0) return self_->delayed_send(self_, until_next_look(left), held);
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
  late_news_.push_back({{to, nullptr, std::move(news), points_.reply}, due});
  if (late_news_.size() == 1)
    self_->delayed_send(self_, until_next_look(due - now), held_message{});
}

void fault_gate::send_late_news() {
  const auto now = self_->clock().now();
  // Once a fault is removed or replaced, nothing waits longer than the current rule says.
  const auto rule = base::faults::status(points_.reply).rule;
  const auto longest = rule ? rule->most_delay : std::chrono::microseconds{0};
  const auto is_due = [&](const late_news& each) {
    return each.due <= now || each.due - now > longest;
  };
  while (!late_news_.empty() && is_due(late_news_.front())) {
    pass_on(late_news_.front().what);
    late_news_.pop_front();
  }
  if (!late_news_.empty())
    self_->delayed_send(self_, until_next_look(late_news_.front().due - now), held_message{});
}

} // namespace matchcloud::actors
