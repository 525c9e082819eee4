#include "actors/supervised_actor.hpp"

#include "actors/resident.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>
#include <caf/message_view.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

namespace matchcloud::actors {

namespace {

/// How often it is looked whether a stall is over.
constexpr std::chrono::milliseconds stall_look_interval{5};

std::string reason_of(const std::exception_ptr& caught) {
  try {
    std::rethrow_exception(caught);
  } catch (const std::exception& failure) {
    return failure.what();
  } catch (...) {
    return "an unknown exception";
  }
}

} // namespace

void set_strict_handlers(caf::scheduled_actor& self) {
  self.set_default_handler(caf::drop);
  self.set_error_handler([](caf::error&) {});
  self.set_down_handler([](caf::down_msg&) {});
}

void supervised_actor::be_strict() {
  set_strict_handlers(*this);
  set_default_handler([this](caf::scheduled_actor*, caf::message_view& got) {
    if (got.content().match_elements<held_message>())
      look_after(got.content().get_as<held_message>(0));
    return caf::result<caf::message>{caf::message{}};
  });
  set_exception_handler([this](std::exception_ptr& caught) -> caf::error {
    auto reason = reason_of(caught);
    spdlog::error("actor {} died: {}", name(), reason);
    vitals_->set_last_error(std::move(reason));
    return caf::sec::runtime_error;
  });
}

supervised_actor::fate supervised_actor::fate_at(base::fault_point at,
                                                 const caf::strong_actor_ptr& from,
                                                 const caf::message& what, const ticket_ptr& of) {
  const auto bit = base::bit_of(at);
  if (of && (of->passed_faults.load(std::memory_order_relaxed) & bit) != 0) return fate::arrives;
  const auto hit =
      base::faults::strike(at, of ? of->named_faults.load(std::memory_order_relaxed) : 0);
  crash_if(hit, at);
  if (hit && of) of->passed_faults.fetch_or(bit, std::memory_order_relaxed);
  switch (hit.kind) {
  case base::fault_kind::drop: return fate::is_gone;
  case base::fault_kind::error: return fate::fails;
  case base::fault_kind::delay:
  case base::fault_kind::stall:
    hold({caf::actor_cast<caf::actor>(this), from, what, at, 0}, hit);
    return fate::is_gone;
  default: return fate::arrives;
  }
}

base::error injected_failure() {
  return {base::errc::unavailable, "A fault was injected into what answers this. Try again."};
}

void supervised_actor::crash_if(const base::fault& hit, base::fault_point at) {
  if (hit.kind == base::fault_kind::crash)
    throw std::runtime_error{"fault injection at " + std::string{base::facts_of(at).name}};
}

void supervised_actor::hold(held_message what, const base::fault& hit) {
  const bool stalls = hit.kind == base::fault_kind::stall;
  if (stalls) what.stalled_by = hit.rule;
  const auto wait = stalls ? std::chrono::microseconds{stall_look_interval} : hit.delay;
  delayed_send(this, wait, std::move(what));
}

void supervised_actor::look_after(const held_message& held) {
  if (held.stalled_by != 0 && base::faults::in_force(held.at, held.stalled_by)) {
    delayed_send(this, stall_look_interval, held);
    return;
  }
  if (!held.to) return send_late_news();
  pass_on(held);
}

void supervised_actor::pass_on(const held_message& held) {
  if (auto* to = caf::actor_cast<caf::abstract_actor*>(held.to))
    to->enqueue(caf::make_mailbox_element(held.from, caf::make_message_id(), {}, held.what),
                context());
}

void supervised_actor::tell_late(const caf::actor& to, caf::message news,
                                 std::chrono::microseconds delay) {
  const auto now = clock().now();
  auto due = now + delay;
  if (!late_news_.empty()) due = std::max(due, late_news_.back().due);
  late_news_.push_back({{to, nullptr, std::move(news), places_.reply, 0}, due});
  if (late_news_.size() == 1) delayed_send(this, due - now, held_message{});
}

void supervised_actor::send_late_news() {
  const auto now = clock().now();
  do {
    pass_on(late_news_.front().what);
    late_news_.pop_front();
  } while (!late_news_.empty() && late_news_.front().due <= now);
  if (!late_news_.empty()) delayed_send(this, late_news_.front().due - now, held_message{});
}

} // namespace matchcloud::actors
